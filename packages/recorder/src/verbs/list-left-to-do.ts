// Lists what the user still has to do in a repository. Shown by `init`, `connect`, `join` and `status`.
import { join } from 'node:path'
import { connectableTools, nameTool } from '@fairgate/contracts/agents/known-tools.ts'
import { keyPath, readGateway, readSettings, readUnusedGateway } from '../config/settings.ts'
import { connections } from '../connect/connections.ts'
import { readFacts } from '../git/read-facts.ts'
import { inspectSettings } from './inspect-gateway.ts'
import { findCommittable, inspectGitHook, inspectProgram } from './inspect-installation.ts'
import { type OpenRepository, readRecords } from './open-repository.ts'
import { summarizeTools, type ToolSummary } from './summarize-tools.ts'
import type { VerbContext } from './verb.ts'

/** Each entry names its committer (spec 2.10). */
export const missingEmail =
  'git has no user.email here, so entries do not say who made them: git config user.email you@example.org'

/** Lists steps in the recommended order. Works offline, so that `status` is fast on a bad network. */
export async function listLeftToDo(open: OpenRepository, context: VerbContext): Promise<string[]> {
  const { repository, spool } = open
  const { workFiles, platform } = context
  const runGit = await context.loadGit()
  const { logbookUrl, token } = readSettings(spool)
  const gateway = readGateway(spool)
  const unused = readUnusedGateway(spool)
  const connected = gateway?.tools ?? []
  const summaries = summarizeTools(readRecords(open).entries, repository.root, spool, context)
  const isSetUp =
    logbookUrl !== null || gateway !== null || summaries.some(({ state }) => state !== 'no hooks')
  if (!isSetUp) return ['Set this repository up: fairgate-recorder init --url <logbook>']
  const facts = await readFacts(repository, context)
  const problems = [
    ...inspectProgram(spool.layout.folder, workFiles, platform, process.version),
    inspectGitHook(repository, runGit, workFiles),
    ...findCommittable(summaries, open, runGit, workFiles),
    ...(gateway === null ? [] : inspectSettings(gateway, open, runGit, context)),
  ].filter(({ state }) => state !== 'ok')
  return [
    ...listUnreachable(context),
    ...(facts === null
      ? [
          'Add a remote named origin, because nothing is recorded without one: git remote add origin <address>',
        ]
      : []),
    ...(facts?.student === '' ? [missingEmail] : []),
    ...(logbookUrl === null || token === null
      ? [
          'Run "fairgate-recorder init" again with --url, and have your log token ready. Nothing is sent until then.',
        ]
      : []),
    ...problems.map(({ name, detail }) => `${nameTool(name.replace(/ calls$/, ''))}: ${detail}`),
    ...(unused === null
      ? []
      : [
          `Connect your tools with the stored key: fairgate-recorder connect --gateway ${unused} --key-stdin < ${keyPath(spool.layout)}`,
        ]),
    ...summaries.flatMap(summary => listToolSteps(summary, connected)),
  ]
}

function listToolSteps({ tool, state, reason, step }: ToolSummary, connected: readonly string[]): string[] {
  const isConnected = connected.includes(tool)
  const note = isConnected
    ? connectableTools.filter(name => name === tool).map(name => connections[name].note ?? '')
    : []
  const withNote = (text: string) => [text, ...note].filter(part => part !== '').join(' ')
  if (state === 'no hooks')
    return isConnected
      ? [
          `${nameTool(tool)} has no hooks here, so its work is not recorded: fairgate-recorder init --tools ${tool}`,
        ]
      : []
  if (step !== null) return [withNote(step)]
  if (reason === null) return []
  const title = nameTool(tool)
  return [withNote(reason.startsWith(title) ? reason : `${title}: ${reason}`)]
}

/** Reports an installed command in a folder that is not in PATH. */
function listUnreachable({ home, platform, workFiles, environment }: VerbContext): string[] {
  const folder = join(home, '.local', 'bin')
  const command = join(folder, 'fairgate-recorder')
  if (platform === 'win32' || !workFiles.exists(command)) return []
  if ((environment.PATH ?? '').split(':').includes(folder)) return []
  return [`Add ${folder} to your PATH, or run ${command} instead of fairgate-recorder`]
}

/** Formats the steps as lines. `steps` are those of `listLeftToDo`, preceded by any problems. */
export function describeLeftToDo(steps: readonly string[]): string[] {
  if (steps.length === 0) return ['Nothing is left to do.']
  return ['Left to do:', ...steps.map((step, index) => `  ${index + 1}. ${step}`)]
}
