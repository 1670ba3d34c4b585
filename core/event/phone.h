/* SPDX-License-Identifier: ISC */
/* Phone numbers: one number is one entity, however it is written. */
#ifndef CORE_EVENT_PHONE_H
#define CORE_EVENT_PHONE_H

#define PHONE_SIZE 16 /* 15 digits and NUL */

/*
 * Write the digits of a phone number to ret: with its calling code, if it
 * begins with "+", 00 or 011, and otherwise as they are.  "tel:", separators,
 * invisible characters and an extension are left out, and so is the trunk, such
 * as the 0 of +44 (0)20, which is not dialled from abroad.  7 to 15 digits must
 * remain. Normalizing the result again does not change it.  Return 0, or -1 if
 * text is not such a number.
 */
int phone_canonical(const char *text, char ret[PHONE_SIZE])
    __attribute__((warn_unused_result));

#endif
