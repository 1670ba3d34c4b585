/* SPDX-License-Identifier: ISC */
/* Training: the card of a model, for those who decide whether to use it. */
#ifndef LIB_TRAIN_TRAIN_CARD_H
#define LIB_TRAIN_TRAIN_CARD_H

#include "lib/train/train.h"

struct str;

/*
 * Append the card of a trained model: Markdown, with the picture of the
 * calibration inside.  hash is the SHA-256 of its file, hexadecimal.  The form
 * follows M. Mitchell and others, "Model Cards for Model Reporting", FAT* 2019.
 */
void train_card(struct str *s, const struct train_table *tb,
    const struct plan *pl, const struct trained *tr, const char *hash);

/*
 * Append the calibration as a picture, SVG: expected and observed shares of
 * fraud of each bin with events, on scales of tens, with 95 % confidence.
 */
void train_card_picture(
    struct str *s, const struct eval_bin bins[MODEL_EVAL_BINS]);

#endif
