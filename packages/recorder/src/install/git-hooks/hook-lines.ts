// The lines with which git starts the recorder before a push. They contain no path of a machine, so they may be committed. They do
// nothing if the recorder has never been here, leave standard input to other hooks, and cannot fail.

const find =
  'fairgate_recorder="$(git rev-parse --git-common-dir 2>/dev/null || true)/fairgate/fairgate-recorder"'
const start = 'if [ -x "$fairgate_recorder" ]; then "$fairgate_recorder" push </dev/null || true'
/** The recorder's folder is there, so somebody set it up: a push must not be silent about entries that stay. */
const gone =
  'echo "fairgate-recorder: it is not installed in this repository any longer, so entries stay here: run fairgate-recorder init" >&2'
const otherwise = `elif [ -d "\${fairgate_recorder%/*}" ]; then ${gone}; fi`

export const hookNote =
  'sends waiting log entries; never fails or delays a push. "fairgate-recorder uninstall" removes it.'

export const hookLines: readonly string[] = [find, start, otherwise]

/** One line for hook managers. Git and lefthook may append arguments, which `true` ignores. */
export const hookCommandLine = `r="$(git rev-parse --git-common-dir)/fairgate/fairgate-recorder"; if [ -x "$r" ]; then "$r" push </dev/null; elif [ -d "\${r%/*}" ]; then ${gone}; fi || true`
