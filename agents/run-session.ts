// One session of a real agent, from `init` to the entries that the logbook stored.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkPlace, student, type WorkPlace } from '../packages/recorder/journeys/testing/work-place.ts'
import { readAllEntries } from '../packages/server/journeys/testing/logbook-client.ts'
import type { Fairgate } from '../packages/server/journeys/testing/start-fairgate.ts'
import type { Case } from './cases.ts'
import { compareEntries, type StoredEntry } from './compare-entries.ts'
import type { ModelServer } from './model-server/start-model-server.ts'
import type { Agent } from './programs/agent.ts'
import { runAgent } from './programs/run-agent.ts'
import { type Check, compare } from './report.ts'
import { stopAgent } from './stop-agent.ts'

export type SessionDependencies = {
  readonly fairgate: Fairgate
  readonly modelServer: ModelServer
  /** The folder of the agent's program. */
  readonly installed: string
}

const model = 'scripted-model'
const longestSessionMs = 90_000
/** Some agents exit without waiting for their last hook. */
const longestHookMs = 5_000

/** Throws only when the harness itself cannot continue. */
export async function runSession(
  agent: Agent,
  { name, prepare }: Case,
  { fairgate, modelServer, installed }: SessionDependencies,
): Promise<Check[]> {
  const team = `${agent.tool}-${agent.program.version.replaceAll('.', '-')}-${name}`
  await fairgate.manage.post('/team/new', { team_id: team })
  const { token } = await fairgate.manage.token(team)
  const place = await createWorkPlace({ hook: false })
  try {
    const session = await prepare(agent, place)
    const { stop, command = words => words } = session
    const places = { ...place, modelUrl: modelServer.url, key: 'local', model }
    agent.prepare(places)
    const init = ['init', '--url', fairgate.logbookUrl, '--token-stdin', '--yes', '--tools', agent.tool]
    const set = await place.recorder([...init, ...(session.initWords ?? [])], token)
    if (set.code !== 0) throw new Error(`init: ${set.output}${set.errors}`)
    modelServer.play(session.scripts)
    const before = await readFiles(place)

    const words = command(agent.command(installed, session.prompt, model), session.prompt)
    const ended = await runAgent(words, {
      folder: session.folder,
      variables: { ...place.variables, ...agent.variables(places) },
      longestMs: longestSessionMs,
      isOnScreen: stop?.by === 'escape',
      ...(stop === undefined
        ? {}
        : { meanwhile: person => stopAgent(stop, agent, person, place, modelServer) }),
    })
    const deadline = Date.now() + longestHookMs
    while (place.pending().length < session.expected.length && Date.now() < deadline) await Bun.sleep(50)

    const after = await readFiles(place)
    const pushed = await place.git(['push', '-q', 'origin', 'main'])
    const stored = await readAllEntries(fairgate.logbookUrl, token)
    const status = await place.recorder(['status'])
    const { missing, surplus } = compareEntries(session.expected, stored)
    const strangers = stored.filter(
      ({ repo, branch, student: who }) => repo !== 'project' || branch !== 'main' || who !== student,
    )
    // At the start of a session no model has been asked yet.
    const withoutModel = stored.filter(entry => entry.model !== model && entry.event !== agent.events.start)
    const list = (entries: readonly object[]) =>
      entries.map(entry => `\n      ${JSON.stringify(entry)}`).join('')
    const recordedCalls = stored.filter(({ tool_name }) => typeof tool_name === 'string').length
    const changed = Object.fromEntries([...after].filter(([path, text]) => before.get(path) !== text))
    const { told, sent, lost = 0 } = session
    const check = (what: string, fault: string | null): Check => ({ name: what, fault })
    const isAsTold = ended.code === 0 || stop !== undefined
    return [
      check(
        stop === undefined
          ? 'the agent does what the model says'
          : 'the agent works until it is stopped, and ends',
        isAsTold && !ended.isKilled ? null : `it ended with ${ended.code}: ${ended.text.slice(-1000)}`,
      ),
      check(
        `${session.expected.length} entries: what was typed, run and answered`,
        missing.length + surplus.length === 0
          ? null
          : `missing:${list(missing)}\n    not expected:${list(surplus)}\n    status:\n${status.output}`,
      ),
      ...(session.expected.length === 0
        ? []
        : [
            check(
              lost === 0
                ? `all ${modelServer.calls()} calls of the model are in them`
                : `all but ${lost} of ${modelServer.calls()} calls of the model are in them`,
              compare(recordedCalls, modelServer.calls() - lost),
            ),
          ]),
      ...(session.changed === undefined
        ? []
        : [
            check(
              `${Object.keys(session.changed).length} files have changed`,
              compare(changed, session.changed),
            ),
            check(
              'each is named by an entry',
              lost > 0
                ? null
                : compare(
                    Object.keys(changed).filter(path => !isNamed(path, stored)),
                    [],
                  ),
            ),
          ]),
      ...(sent === undefined
        ? []
        : [
            check(
              'the model has got it',
              modelServer.requests.find(({ body }) => body.includes(session.prompt))?.body.includes(sent)
                ? null
                : 'the first request does not contain it',
            ),
          ]),
      check(
        'each is of this repository, its branch and its committer',
        strangers.length === 0 ? null : list(strangers),
      ),
      check('each names the model', withoutModel.length === 0 ? null : list(withoutModel)),
      check(
        'the push sends them and nothing is left',
        pushed.code === 0 && place.pending().length === 0 ? null : `${pushed.output}${pushed.errors}`,
      ),
      ...(told === undefined
        ? []
        : [check(`status says: ${told}`, status.output.includes(told) ? null : status.output)]),
    ]
  } finally {
    if (process.env.KEEP_PLACES === undefined) place.remove()
    else console.log(`    ${join(place.folder)}`)
  }
}

/** The files that are not committed, with their texts. */
async function readFiles({ git, root }: WorkPlace): Promise<Map<string, string>> {
  const { output } = await git(['-c', 'core.quotePath=false', 'status', '--porcelain', '-uall'])
  const paths = output.split('\n').flatMap(line => (line === '' || line.endsWith('/') ? [] : line.slice(3)))
  return new Map(paths.map(path => [path, readFileSync(join(root, path), 'utf8')]))
}

function isNamed(path: string, entries: readonly StoredEntry[]): boolean {
  return entries.some(({ tool_input }) => JSON.stringify(tool_input ?? null).includes(path))
}
