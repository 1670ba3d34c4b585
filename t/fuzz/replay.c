/* SPDX-License-Identifier: ISC */
/*
 * Run a fuzz target over files instead of libFuzzer: the files of the
 * arguments, or the corpus of the program's name (fuzz_event reads
 * $srcdir/t/fuzz/corpus/event).
 */
#include "config.h"

#include <dirent.h>
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/fuzz/fuzz.h"

#define PREFIX "fuzz_"

static void replay_corpus(const char *target);
static void replay_file(const char *path);

int
main(int argc, char *argv[])
{
	const char *name;
	int i;

	for (i = 1; i < argc; i++)
		replay_file(argv[i]);
	if (argc > 1)
		return EXIT_SUCCESS;

	name = strrchr(argv[0], '/');
	name = name == NULL ? argv[0] : name + 1;
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		errx(EXIT_FAILURE, "no corpus goes with the name %s", name);
	replay_corpus(name + strlen(PREFIX));
	return EXIT_SUCCESS;
}

/* Replay every file of a target's corpus, which must not be empty. */
static void
replay_corpus(const char *target)
{
	const char *srcdir = getenv("srcdir");
	char dir[PATH_MAX], path[PATH_MAX];
	struct dirent *de;
	DIR *d;
	int n = 0;

	if (snprintf(dir, sizeof(dir), "%s/t/fuzz/corpus/%s",
		srcdir == NULL ? "." : srcdir, target) >= (int)sizeof(dir))
		errx(EXIT_FAILURE, "the path of the corpus is too long");
	if ((d = opendir(dir)) == NULL)
		err(EXIT_FAILURE, "%s", dir);
	while ((de = readdir(d)) != NULL) {
		if (de->d_name[0] == '.')
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", dir, de->d_name) >=
		    (int)sizeof(path))
			errx(EXIT_FAILURE, "%s: name too long", de->d_name);
		replay_file(path);
		n++;
	}
	closedir(d);
	if (n == 0)
		errx(EXIT_FAILURE, "%s: the corpus is empty", dir);
}

/*
 * Give one file to the target, in a block of exactly its size so that
 * AddressSanitizer sees a read past the end.
 */
static void
replay_file(const char *path)
{
	FILE *fp;
	long size;
	uint8_t *data;

	if ((fp = fopen(path, "rb")) == NULL || fseek(fp, 0, SEEK_END) == -1 ||
	    (size = ftell(fp)) == -1)
		err(EXIT_FAILURE, "%s", path);
	rewind(fp);
	if ((data = malloc(size == 0 ? 1 : (size_t)size)) == NULL)
		err(EXIT_FAILURE, "%s", path);
	if (fread(data, 1, (size_t)size, fp) != (size_t)size)
		errx(EXIT_FAILURE, "%s: cannot be read", path);
	fclose(fp);

	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
}
