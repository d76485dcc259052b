// What `init` reports: what it changed, what it could not change, and what only a person can do.

import type { RepositoryFacts } from '../git/read-facts.ts'
import type { HookRoute } from '../install/git-hooks/choose-route.ts'
import { hookCommandLine } from '../install/git-hooks/hook-lines.ts'
import type { InstallPlan, Refusal } from '../install/plan-install.ts'
import { recipes } from '../install/settings/find-recipe.ts'
import type { Places } from '../install/settings/recipe.ts'
import type { TokenCheck } from '../logbook/check-token.ts'
import type { ToolName } from '../tools/tool.ts'
import type { Connection } from './ask-connection.ts'

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
  /** What only a person can do. */
  readonly steps: readonly string[]
}

/** Tools that do not use hooks from a folder above the one that they were started in. */
const startNotes: Partial<Readonly<Record<ToolName, string>>> = {
  claude:
    'Claude Code: start it at the top of the repository. Started in a subfolder, versions up to 2.1.197 and some after it run no hooks, and nothing is recorded, unless you run init with --subfolders.',
  gemini:
    'Gemini CLI: start it at the top of the repository. Started in a subfolder it runs no hooks, and nothing is recorded, unless you run init with --subfolders.',
}

export function listSteps(
  chosen: readonly ToolName[],
  { route, refused, userWide }: Pick<InstallPlan, 'route' | 'refused' | 'userWide'>,
  connection: Pick<Connection, 'logbookUrl' | 'token'>,
  places: Places,
): string[] {
  const isRefused = (tool: ToolName) =>
    refused.some(({ path }) => path.replaceAll('\\', '/').endsWith(recipes[tool].file.join('/')))
  const steps = chosen
    .filter(tool => !isRefused(tool) && recipes[tool].judgeTrust(places).isTrusted !== true)
    .map(tool => recipes[tool].humanStep)
    .filter(step => step !== null)
  for (const tool of chosen) {
    const note = startNotes[tool]
    if (note !== undefined && !userWide.includes(tool)) steps.push(note)
  }
  if (route.kind === 'manual')
    steps.push(`Git (${route.reason}): put this line into the pre-push hook there: ${hookCommandLine}`)
  if (route.kind === 'lefthook') steps.push('Lefthook: run "lefthook install" once.')
  if (connection.logbookUrl === null || connection.token === null)
    steps.push(
      'Logbook: run "fairgate-recorder init" again with --url and your log token; until then nothing is sent.',
    )
  return steps
}

/** Each entry names its committer (spec 2.10), so every verb that looks at the repository warns about an empty one. */
export const missingEmail =
  'git has no user.email here, so entries do not say who made them: git config user.email you@example.org'

export function listWarnings(
  { tracked }: Pick<InstallPlan, 'tracked'>,
  { check, warning }: Pick<Connection, 'check' | 'warning'>,
  facts: RepositoryFacts | null,
): string[] {
  const warnings = tracked.map(
    path => `${path} is under version control: the addition does nothing on machines without the recorder`,
  )
  if (check?.state === 'unknown') warnings.push(`the log token could not be checked: ${check.message}`)
  if (warning !== null) warnings.push(warning)
  if (facts === null) warnings.push('there is no remote named origin: until there is one nothing is recorded')
  if (facts?.student === '') warnings.push(missingEmail)
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
    ...refused.map(({ path, reason }) => `LEFT AS IT IS  ${path}: ${reason}`),
    ...warnings.map(warning => `warning  ${warning}`),
  ]
  if (steps.length > 0) lines.push('', 'What remains for you:', ...steps.map(step => `  - ${step}`))
  return `${lines.join('\n')}\n`
}
