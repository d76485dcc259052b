// The lines with which git starts the recorder before a push. They contain no path of a machine, so they may be committed. They do
// nothing where there is no recorder, leave standard input to other hooks, and cannot fail.

const find =
  'fairgate_recorder="$(git rev-parse --git-common-dir 2>/dev/null || true)/fairgate/fairgate-recorder"'
const start = 'if [ -x "$fairgate_recorder" ]; then "$fairgate_recorder" push </dev/null || true; fi'

export const hookNote =
  'sends waiting log entries; never fails or delays a push. "fairgate-recorder uninstall" removes it.'

export const hookLines: readonly string[] = [find, start]

/** One line for hook managers. Git and lefthook may append arguments, which `true` ignores. */
export const hookCommandLine =
  'r="$(git rev-parse --git-common-dir)/fairgate/fairgate-recorder"; [ ! -x "$r" ] || "$r" push </dev/null || true'
