// What `init` reports: what it changed, what it could not change, and what is left to do.

import type { Refusal } from '../install/files/planned-change.ts'
import type { HookRoute } from '../install/git-hooks/choose-route.ts'
import type { InstallPlan } from '../install/plan-install.ts'
import type { TokenCheck } from '../logbook/check-token.ts'
import type { ToolName } from '../tools/tool.ts'
import type { Connection } from './ask-connection.ts'
import { describeRefusal } from './change-files.ts'
import { describeLeftToDo } from './list-left-to-do.ts'

export type InstallReport = {
  readonly tools: readonly ToolName[]
  /** Files that were changed, or would be. */
  readonly changed: readonly string[]
  readonly refused: readonly Refusal[]
  /** How git starts the recorder. */
  readonly git: HookRoute['kind']
  readonly logbook: TokenCheck['state'] | 'not set'
  /** The team of the log token, if the logbook says so. */
  readonly team: string | null
  readonly warnings: readonly string[]
  /** What is left to do; none after a preview. */
  readonly steps: readonly string[]
}

export function listWarnings(
  { tracked }: Pick<InstallPlan, 'tracked'>,
  { check, warning }: Pick<Connection, 'check' | 'warning'>,
): string[] {
  const warnings = tracked.map(
    path => `${path} is under version control: the addition does nothing on machines without the recorder`,
  )
  if (check?.state === 'unknown') warnings.push(`the log token could not be checked: ${check.message}`)
  if (warning !== null) warnings.push(warning)
  return warnings
}

const routeNames: Readonly<Record<HookRoute['kind'], string>> = {
  config: 'a hook in the configuration of git',
  file: 'lines in a hook file',
  chain: 'a hook that also starts the one that was there',
  lefthook: 'a command in lefthook-local.yml',
  manual: 'nothing yet',
}

export function describeInstall(report: InstallReport, isDry: boolean): string {
  const { tools, changed, refused, git, logbook, team, warnings, steps } = report
  const accepted = `the log token is accepted${team === null ? '' : `: team ${team}`}`
  const lines = [
    `tools    ${tools.join(', ')}`,
    `git      ${routeNames[git]}`,
    `logbook  ${logbook === 'accepted' ? accepted : logbook === 'unknown' ? 'not checked' : 'not set'}`,
    ...(changed.length === 0
      ? ['files    nothing to change']
      : changed.map(path => `${isDry ? 'would change' : 'changed'}  ${path}`)),
    ...refused.map(describeRefusal),
    ...warnings.map(warning => `warning  ${warning}`),
  ]
  if (!isDry) lines.push('', ...describeLeftToDo(steps))
  return `${lines.join('\n')}\n`
}
