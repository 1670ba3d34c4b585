#!/bin/sh
# SPDX-License-Identifier: ISC
# Make ./configure from configure.ac, in a fresh clone.
cd "$(dirname "$0")" && exec autoreconf -fi
