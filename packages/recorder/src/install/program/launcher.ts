// The small program that hooks name. It stands in the git folder that all work trees share, so its path never changes: not with
// a new Node, nor with a new recorder. A tool that asks its user to trust a command asks once.
import { join } from 'node:path'
import { quoteForShell } from './quote.ts'

export type ProgramPlace = {
  /** Node, Bun, or the stand-alone recorder itself. */
  readonly runtime: string
  /** The recorder's file; null when the runtime is the recorder. */
  readonly file: string | null
}

export function launcherPath(recorderFolder: string): string {
  return join(recorderFolder, 'fairgate-recorder')
}

/**
 * Tools that were started by a click know few folders, so the runtime is named with its whole path; should it be gone, the usual
 * places are tried. Without a recorder it ends quietly: a hook must not fail.
 */
export function writeLauncher({ runtime, file }: ProgramPlace, home: string): string {
  const installed = join(home, '.local', 'share', 'fairgate-recorder', 'fairgate-recorder.cjs')
  const head = [
    '#!/bin/sh',
    '# Starts fairgate-recorder for the hooks of AI tools and of git. "fairgate-recorder init" wrote it, "uninstall" removes it.',
    '# Copilot CLI also runs the hooks of Claude Code, and names its project to hooks alone: its own hook has recorded the event.',
    '[ "$2" != claude ] || [ -z "$COPILOT_PROJECT_DIR" ] || exit 0',
  ]
  const standAlone = [`[ -x ${quoteForShell(runtime)} ] || exit 0`, `exec ${quoteForShell(runtime)} "$@"`]
  const byRuntime = [
    `recorder=${quoteForShell(file ?? '')}`,
    `[ -f "$recorder" ] || recorder=${quoteForShell(installed)}`,
    '[ -f "$recorder" ] || exit 0',
    `runtime=${quoteForShell(runtime)}`,
    'if [ ! -x "$runtime" ]; then',
    '  for runtime in "$(command -v node)" /usr/local/bin/node /opt/homebrew/bin/node /usr/bin/node ""; do',
    '    [ -x "$runtime" ] && break',
    '  done',
    'fi',
    '[ -x "$runtime" ] || exit 0',
    'exec "$runtime" "$recorder" "$@"',
  ]
  return `${[...head, ...(file === null ? standAlone : byRuntime)].join('\n')}\n`
}

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
  const guest = 'if "%~2"=="claude" if defined COPILOT_PROJECT_DIR exit /b 0'
  return ['@echo off', 'setlocal', guest, ...lines, ''].join('\r\n')
}
