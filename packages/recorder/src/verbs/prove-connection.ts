// Proves a connection line by line: the key, a paid call, the hooks, and an entry that reaches the logbook and is found there.

import { type ConnectableTool, nameTool } from '@fairgate/contracts/agents/known-tools.ts'
import { readSettings } from '../config/settings.ts'

import { buildEntry } from '../entry/build-entry.ts'
import type { KeyCheck, ModelAnswer } from '../gateway/ask-gateway.ts'
import { readFacts } from '../git/read-facts.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { readPage } from '../logbook/read-page.ts'
import { runSending } from '../push/run-sending.ts'
import { toolNames } from '../tools/tool.ts'
import { type OpenRepository, readRecords } from './open-repository.ts'
import { prepareSending } from './prepare-sending.ts'
import { summarizeTools } from './summarize-tools.ts'
import type { VerbContext } from './verb.ts'

export type ProofLine = {
  readonly name: 'key' | 'model call' | 'recorder' | 'log'
  readonly state: 'ok' | 'warning' | 'failed'
  readonly detail: string
}

export type Trial = { readonly prompt: string; readonly session: string }

/** The call and the entry carry the same id and the same text, so that they can be recognised as belonging together. */
export function createTrial({ now, random }: Pick<VerbContext, 'now' | 'random'>): Trial {
  const session = `fairgate-connect-${now().getTime()}-${random().toString(36).slice(2, 10)}`
  return {
    session,
    prompt: `Test of the connection by fairgate-recorder (${session}). Answer with the word ready.`,
  }
}

export function describeKey(url: string, check: KeyCheck): ProofLine {
  if (check.state !== 'accepted')
    return {
      name: 'key',
      state: 'failed',
      detail: `${url} did not identify the key (${check.message}): try again later`,
    }
  const { alias, team, left } = check
  const parts = [
    team === null ? null : `team ${team}`,
    alias,
    left === null ? null : `$${left.toFixed(2)} left of its own budget`,
  ].filter(part => part !== null && part !== '')
  return { name: 'key', state: 'ok', detail: [`accepted by ${url}`, ...parts].join(', ') }
}

export function describeCall(model: string, answer: ModelAnswer): ProofLine {
  const of = (state: ProofLine['state'], detail: string): ProofLine => ({ name: 'model call', state, detail })
  if (answer.state === 'answered') {
    const cost = answer.cost === null ? '' : ` for $${answer.cost}`
    return of('ok', `${model} answered${cost}`)
  }
  if (answer.state === 'unknown')
    return of('failed', `${model} did not answer (${answer.message}): run this again`)
  const { status, message } = answer
  const advice =
    status === 402 || /budget/.test(answer.code ?? '')
      ? 'ask the organisers about the budget'
      : status === 429
        ? 'wait a minute, then run this again'
        : status >= 500
          ? 'the gateway has a problem: run this again later'
          : 'ask the organisers'
  return of('failed', `${model}: ${message.replace(/\.$/, '')}: ${advice}`)
}

export function judgeRecorder(
  chosen: readonly ConnectableTool[],
  open: OpenRepository,
  context: VerbContext,
): ProofLine {
  const of = (state: ProofLine['state'], detail: string): ProofLine => ({ name: 'recorder', state, detail })
  const recorded = toolNames.filter(tool => chosen.some(name => name === tool))
  const without = chosen.filter(tool => !recorded.some(name => name === tool))
  const note =
    without.length === 0
      ? ''
      : `${without.map(tool => nameTool(tool)).join(', ')} does not support hooks, so only calls are recorded`
  if (recorded.length === 0) return of('warning', note === '' ? 'no tool is connected' : note)
  const summaries = summarizeTools(readRecords(open).entries, open.repository.root, open.spool, context)
  const bad = summaries.filter(
    ({ tool, state }) => recorded.includes(tool) && !['ok', 'unseen', 'not trusted'].includes(state),
  )
  if (bad.length > 0) {
    const all = bad.map(({ tool, state, reason }) => `${tool}: ${reason ?? state}`).join('; ')
    return of('failed', `${all}: run "fairgate-recorder init --tools ${recorded.join(',')}"`)
  }
  const distrusted = summaries.filter(({ tool, state }) => recorded.includes(tool) && state === 'not trusted')
  const trust = distrusted.map(({ tool }) => `${tool} does not trust them yet ("fairgate-recorder doctor")`)
  const silent = summaries
    .filter(({ tool, isProven }) => recorded.includes(tool) && !isProven)
    .map(({ tool }) => tool)
  const proof = silent.length === 0 ? '' : `no event since from ${silent.join(', ')}`
  const detail = [`hooks of ${recorded.join(', ')} in place`, proof, ...trust, note].filter(
    part => part !== '',
  )
  return of(distrusted.length > 0 || note !== '' ? 'warning' : 'ok', detail.join('; '))
}

const longestSendMs = 30_000
const init = 'run "fairgate-recorder init --url <logbook>"'

/** Records an entry of its own, sends what waits, and looks for it in the logbook. */
export async function proveLog(
  trial: Trial,
  model: string,
  open: OpenRepository,
  context: VerbContext,
): Promise<ProofLine> {
  const of = (state: ProofLine['state'], detail: string): ProofLine => ({ name: 'log', state, detail })
  const { spool } = open
  const { logbookUrl, token } = readSettings(spool)
  if (logbookUrl === null || token === null)
    return of(
      'failed',
      `the ${logbookUrl === null ? 'address of the logbook' : 'log token'} is not set here: ${init}`,
    )
  const facts = await readFacts(open.repository, context)
  if (facts === null)
    return of(
      'failed',
      'there is no remote named origin, so nothing is recorded: git remote add origin <address>',
    )
  const event = {
    ts: context.now(),
    tool: 'fairgate-recorder',
    event: 'connect',
    sessionId: trial.session,
    fields: { prompt: trial.prompt, model },
  } as const
  spool.put(spool.number(buildEntry(event, facts), { recorder_source: 'connect' }))
  const start = context.elapsedMs()
  const { stop, kept } = await runSending({
    ...prepareSending(context, open),
    remainingMs: () => longestSendMs - (context.elapsedMs() - start),
    isPatient: false,
  })
  if (stop !== null)
    return of('failed', `${stop.message}; ${kept} entries wait: see "fairgate-recorder doctor"`)
  try {
    const callLogbook = await createCallLogbook(logbookUrl, token, context.environment)
    const page = await readPage(callLogbook, {
      limit: 20,
      before: null,
      event: event.event,
      tool: event.tool,
    })
    const isFound = page.items.some(item => item.session_id === trial.session)
    if (!isFound)
      return of(
        'failed',
        `${logbookUrl} accepted the entry but does not return it: run "fairgate-recorder verify"`,
      )
  } catch (thrown) {
    return of('failed', thrown instanceof Error ? thrown.message : String(thrown))
  }
  return of('ok', `an entry reached ${logbookUrl} and was read back`)
}
