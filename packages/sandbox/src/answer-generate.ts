// Answers generateContent and streamGenerateContent: switches, troubles, reply, and what it is billed.
import type { createCounters } from './counters.ts'
import { readRequest } from './read-request.ts'
import { buildChunks, buildReply } from './reply/build-reply.ts'
import { planReply } from './reply/plan-reply.ts'
import { writeStream } from './reply/write-stream.ts'
import { findSwitches, parseSwitches, type Switches } from './switches.ts'
import { buildErrorBody, retryInfo, VendorError } from './vendor-error.ts'

export type GenerateDependencies = {
  readonly counters: ReturnType<typeof createCounters>
  /** Switches set for all calls; those of the prompt and of the header come on top. */
  readonly commonSwitches: () => Switches
  readonly wait: (milliseconds: number) => Promise<void>
}

export type GenerateCall = {
  readonly model: string
  readonly form: 'unary' | 'sse' | 'array'
  readonly request: Request
}

export function createGenerate({ counters, commonSwitches, wait }: GenerateDependencies) {
  const failures = new Map<string, number>()
  let replies = 0

  /** Throws VendorError when it was told to, at most `errorTimes` times in a row for equal switches. */
  const failIfTold = (switches: Switches): void => {
    if (switches.error === undefined || switches.errorInStream !== undefined) return
    const name = JSON.stringify(switches)
    const failed = failures.get(name) ?? 0
    if (switches.errorTimes !== undefined && failed >= switches.errorTimes) {
      failures.delete(name)
      return
    }
    failures.set(name, failed + 1)
    const details = switches.retryDelay === undefined ? [] : [retryInfo(switches.retryDelay)]
    throw new VendorError(switches.error, undefined, details)
  }

  const answer = async ({ model, form, request }: GenerateCall): Promise<Response> => {
    const asked = readRequest(await readBody(request))
    const switches: Switches = {
      ...commonSwitches(),
      ...findSwitches(asked.lastText),
      ...readHeader(request),
    }
    if (switches.hang === true) await waitForAbort(request.signal)
    if (switches.firstByteDelayMs !== undefined) await wait(switches.firstByteDelayMs)
    try {
      failIfTold(switches)
    } catch (error) {
      if (error instanceof VendorError && switches.arrayError === true) {
        return Response.json([buildErrorBody(error)], { status: error.code })
      }
      throw error
    }
    replies += 1
    const plan = planReply(model, asked, switches, `sandbox-${replies.toString(36).padStart(14, '0')}`)
    if (form === 'unary') {
      counters.bill(model, plan.usage)
      return Response.json(buildReply(plan, switches))
    }
    const chunks = buildChunks(plan, switches)
    const body = writeStream({
      chunks,
      switches,
      form,
      wait,
      onEnd: (usage, isWhole) => {
        if (usage !== null) counters.bill(model, usage)
        if (!isWhole) counters.abort()
        counters.end()
      },
    })
    const type = form === 'sse' ? 'text/event-stream' : 'application/json; charset=UTF-8'
    return new Response(body, { headers: { 'content-type': type } })
  }

  return async (call: GenerateCall): Promise<Response> => {
    const isStream = call.form !== 'unary'
    counters.begin(isStream)
    const noteAbort = () => counters.abort()
    if (!isStream) call.request.signal.addEventListener('abort', noteAbort)
    try {
      const response = await answer(call)
      // A stream ends by itself, when its last chunk is out.
      if (!isStream || response.status !== 200) counters.end()
      return response
    } catch (error) {
      counters.end()
      throw error
    } finally {
      call.request.signal.removeEventListener('abort', noteAbort)
    }
  }
}

async function readBody(request: Request): Promise<unknown> {
  try {
    return await request.json()
  } catch {
    throw new VendorError(400, 'Invalid JSON payload received. Unexpected end of string.')
  }
}

function readHeader(request: Request): Switches {
  const text = request.headers.get('x-sandbox-switches')
  return text === null ? {} : parseSwitches(text)
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new VendorError(499, 'The caller left.'))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
  })
}
