// SPDX-License-Identifier: Apache-2.0
// Compiled twice, once under the name of an instruction set: two objects that share a weak symbol.
inline int sharedInline(int value)
{
    return value + 1;
}

int (*PROBE)(int) = sharedInline;
