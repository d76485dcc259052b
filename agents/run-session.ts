// One session of a real agent, from `init` to the entries that the logbook stored.
import { join } from 'node:path'
import { createWorkPlace, student } from '../packages/recorder/journeys/testing/work-place.ts'
import { readAllEntries } from '../packages/server/journeys/testing/logbook-client.ts'
import type { Fairgate } from '../packages/server/journeys/testing/start-fairgate.ts'
import type { Case } from './cases.ts'
import { compareEntries } from './compare-entries.ts'
import type { ModelServer } from './model-server/start-model-server.ts'
import type { Agent } from './programs/agent.ts'
import { runAgent } from './programs/run-agent.ts'
import type { Check } from './report.ts'

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
    const places = { ...place, modelUrl: modelServer.url, key: 'local', model }
    agent.prepare(places)
    const init = ['init', '--url', fairgate.logbookUrl, '--token-stdin', '--yes', '--tools', agent.tool]
    const set = await place.recorder([...init, ...(session.initWords ?? [])], token)
    if (set.code !== 0) throw new Error(`init: ${set.output}${set.errors}`)
    modelServer.play(session.scripts)

    const ended = await runAgent(agent.command(installed, session.prompt, model), {
      folder: session.folder,
      variables: { ...place.variables, ...agent.variables(places) },
      longestMs: longestSessionMs,
    })
    const deadline = Date.now() + longestHookMs
    while (place.pending().length < session.expected.length && Date.now() < deadline) await Bun.sleep(50)

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
    const checks = [
      {
        name: 'the agent does what the model says',
        fault: ended.code === 0 ? null : `it ended with ${ended.code}: ${ended.text.slice(-1000)}`,
      },
      {
        name: `${session.expected.length} entries: what was typed, run and answered`,
        fault:
          missing.length + surplus.length === 0
            ? null
            : `missing:${list(missing)}\n    not expected:${list(surplus)}\n    status:\n${status.output}`,
      },
      {
        name: 'each is of this repository, its branch and its committer',
        fault: strangers.length === 0 ? null : list(strangers),
      },
      {
        name: 'each names the model',
        fault: withoutModel.length === 0 ? null : list(withoutModel),
      },
      {
        name: 'the push sends them and nothing is left',
        fault: pushed.code === 0 && place.pending().length === 0 ? null : `${pushed.output}${pushed.errors}`,
      },
    ]
    const { told } = session
    if (told === undefined) return checks
    return [
      ...checks,
      { name: `status says: ${told}`, fault: status.output.includes(told) ? null : status.output },
    ]
  } finally {
    if (process.env.KEEP_PLACES === undefined) place.remove()
    else console.log(`    ${join(place.folder)}`)
  }
}
