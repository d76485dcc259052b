// The small program that hooks name. It is in the git folder that all work trees share, so its path does not change with a new Node or
// a new recorder. A tool that asks its user to trust a command therefore asks only once.
import { join } from 'node:path'
import { quoteForShell } from './hook-command.ts'

export type ProgramPlace = {
  /** Node, Bun, or the stand-alone recorder itself. */
  readonly runtime: string
  /** The recorder's file; null if the runtime is the recorder itself. */
  readonly file: string | null
}

export function launcherPath(recorderFolder: string): string {
  return join(recorderFolder, programName)
}

const programName = 'fairgate-recorder'

/**
 * Tools started by a click have a short PATH, so the script names the runtime by its full path. If it is gone, the script tries the usual
 * places. Without a recorder it exits with 0, because a hook must not fail. It notes the event of a tool as skipped, and says at a push that
 * entries stay.
 */
export function writeLauncher({ runtime, file }: ProgramPlace, home: string): string {
  const folder = join(home, '.local', 'share', 'fairgate-recorder')
  const [installed, installedProgram] = [
    join(folder, 'fairgate-recorder.cjs'),
    join(folder, 'fairgate-recorder'),
  ]
  const head = [
    '#!/bin/sh',
    '# Starts fairgate-recorder for the hooks of AI tools and of git. "fairgate-recorder init" wrote it, "uninstall" removes it.',
    '# Copilot CLI also runs the hooks of Claude Code, and names its project to hooks alone: its own hook has recorded the event.',
    '[ "$2" != claude ] || [ -z "$COPILOT_PROJECT_DIR" ] || exit 0',
    // An event belongs to the repository whose hook was called, whatever folder the tool's shell is in.
    `case "$0" in */${programName}) export FAIRGATE_RECORDER_FOLDER="\${0%/*}" ;; esac`,
    'skip() {',
    '  umask 077',
    '  [ "$1" = push ] &&',
    `    echo '${describeGoneProgram}' >&2`,
    '  [ "$1" = hook ] && [ -n "$FAIRGATE_RECORDER_FOLDER" ] &&',
    '    echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $2 $3: the program is gone" >>"$FAIRGATE_RECORDER_FOLDER/skipped.log" 2>/dev/null',
    '  exit 0',
    '}',
  ]
  const startProgram = (path: string) => [
    `program=${quoteForShell(path)}`,
    '[ -x "$program" ] && exec "$program" "$@"',
  ]
  // A later installation may have brought the other kind.
  const first = file === null ? startProgram(runtime) : []
  const otherwise = file === null ? ['skip "$@"'] : [...startProgram(installedProgram), 'skip "$@"']
  const byRuntime = [
    `recorder=${quoteForShell(file ?? installed)}`,
    `[ -f "$recorder" ] || recorder=${quoteForShell(installed)}`,
    'if [ ! -f "$recorder" ]; then',
    ...otherwise.map(line => `  ${line}`),
    'fi',
    `runtime=${quoteForShell(file === null ? '' : runtime)}`,
    'if [ ! -x "$runtime" ]; then',
    '  for runtime in "$(command -v node)" /usr/local/bin/node /opt/homebrew/bin/node /usr/bin/node ""; do',
    '    [ -x "$runtime" ] && break',
    '  done',
    'fi',
    '[ -x "$runtime" ] || skip "$@"',
    'exec "$runtime" "$recorder" "$@"',
  ]
  return `${[...head, ...first, ...byRuntime].join('\n')}\n`
}

const describeGoneProgram =
  'fairgate-recorder: its program was moved or removed, so entries stay here: install it again, then run "fairgate-recorder init"'

/** The same for cmd and PowerShell. */
export function writeWindowsLauncher({ runtime, file }: ProgramPlace): string {
  const quoted = (path: string) => `"${path.replaceAll('%', '%%')}"`
  const lines =
    file === null
      ? [`if exist ${quoted(runtime)} ${quoted(runtime)} %*`]
      : [
          `if not exist ${quoted(file)} exit /b 0`,
          'set "runtime=node"',
          `if exist ${quoted(runtime)} set "runtime=${runtime.replaceAll('%', '%%')}"`,
          `"%runtime%" ${quoted(file)} %*`,
        ]
  const folder = 'set "FAIRGATE_RECORDER_FOLDER=%~dp0"'
  const guest = 'if "%~2"=="claude" if defined COPILOT_PROJECT_DIR exit /b 0'
  return ['@echo off', 'setlocal', guest, folder, ...lines, ''].join('\r\n')
}
