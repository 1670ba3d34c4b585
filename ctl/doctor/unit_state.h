/* SPDX-License-Identifier: ISC */
/* What `systemctl show` says of units. */
#ifndef CTL_DOCTOR_UNIT_STATE_H
#define CTL_DOCTOR_UNIT_STATE_H

struct finding;

/*
 * Judge the output of systemctl show --property Id,ActiveState,UnitFileState; a
 * blank line ends a unit, and the text is changed.  A unit is at fault if it
 * has failed, or if it is not active although it or the target, the first unit,
 * is enabled or active.  Pure.
 */
void unit_state_judge(char *text, struct finding *ret);

#endif
