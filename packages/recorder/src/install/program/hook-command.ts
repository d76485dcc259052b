// Builds the command that a tool runs for an event: one simple command that never changes.
import type { HookCommand } from '../settings/recipe.ts'

export type CommandFacts = {
  readonly launcher: string
  readonly platform: string
  /** Whether the file is or may be committed. If so, the command must work on every machine and do nothing if there is no recorder. */
  readonly isShared: boolean
}

export function buildHookCommand(
  tool: string,
  event: string,
  { launcher, platform, isShared }: CommandFacts,
): HookCommand {
  const call = `hook ${tool} ${event}`
  const windowsLauncher = `${launcher.replaceAll('\\', '/')}.cmd`
  const powershell = `& ${quoteForPowershell(windowsLauncher)} ${call}`
  if (isShared) {
    const line = `sh -c '${findLauncher(tool)}; [ ! -x "$r" ] || exec "$r" "$@"' fairgate-recorder ${call}`
    const isHere = '(Test-Path "$(git rev-parse --git-common-dir)/fairgate/fairgate-recorder.cmd")'
    return {
      line,
      guarded: line,
      powershell: `if ${isHere} { & "$(git rev-parse --git-common-dir)/fairgate/fairgate-recorder.cmd" ${call} }`,
    }
  }
  if (platform !== 'win32') {
    const path = quoteForShell(launcher)
    const line = `${path} ${call}`
    return { line, guarded: `[ ! -x ${path} ] || exec ${line}`, powershell }
  }
  const guard = (line: string): HookCommand => ({ line, guarded: `${line} || true`, powershell })
  // Gemini CLI starts PowerShell, which would print a quoted path instead of running it. Cursor adds the `&` by itself.
  if (/^[A-Za-z0-9_/.:~-]+$/.test(windowsLauncher)) return guard(`${windowsLauncher} ${call}`)
  return guard(tool === 'gemini' ? powershell : `"${windowsLauncher}" ${call}`)
}

/** Claude Code runs its hooks in the current folder of its shell, which may be another repository. The other tools stay where they were started. */
function findLauncher(tool: string): string {
  const common = 'git rev-parse --git-common-dir 2>/dev/null'
  if (tool !== 'claude') return `r=$(${common})/fairgate/fairgate-recorder`
  const folder = `$(cd "\${CLAUDE_PROJECT_DIR:-.}" 2>/dev/null && cd "$(${common})" 2>/dev/null && pwd)`
  return `r=${folder}/fairgate/fairgate-recorder`
}

/** For a POSIX shell; plain words stay as they are. */
export function quoteForShell(word: string): string {
  return /^[A-Za-z0-9_/.:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** For PowerShell. */
function quoteForPowershell(word: string): string {
  return `'${word.replaceAll("'", "''")}'`
}
