// Finds out the gateway's address, the team's key for it and the model: from flags, the environment, what is stored, or by asking.
import type { StoredGateway } from '../config/settings.ts'
import {
  type CallGateway,
  callModel,
  checkKey,
  type KeyCheck,
  listModels,
  type ModelAnswer,
} from '../gateway/ask-gateway.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { identifyDoor } from '../logbook/identify-door.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { keepStored, readGiven, requireUrl } from './ask-secret.ts'
import type { VerbContext } from './verb.ts'

type Flags = Readonly<Record<string, string>>

export type GatewayAccess = {
  readonly url: string
  readonly key: string
  readonly call: CallGateway
  readonly check: KeyCheck
  readonly warning: string | null
}

const maxTries = 3

/**
 * Throws UserFailure if the address is not a gateway, if the stored key is for another address, or if the gateway refuses the key, so
 * that nothing wrong is stored and no key is sent to an address its owner did not choose.
 */
export async function askGateway(
  context: VerbContext,
  flags: Flags,
  stored: StoredGateway | null,
): Promise<GatewayAccess> {
  const { environment, terminal } = context
  const given = await readGivenKey(context, flags)
  const { url, warning } = await findUrl(context, flags.gateway, stored)
  const identity = await identifyDoor(await createCallLogbook(url, null, environment), 'gateway')
  if (identity.kind === 'other')
    throw new UserFailure(
      `${url} is not the address of a gateway: it ${identity.what}. Ask the organisers for the gateway's address.`,
    )
  if (identity.kind === 'silent')
    throw new UserFailure(`The gateway ${url} cannot be reached: ${identity.message}. Nothing was changed.`)
  const { key: value = null, url: former = null } = stored ?? {}
  const known = { name: 'gateway key', flag: 'key-stdin', value, former }
  let key = given ?? (await keepStored(context, known, url))
  for (let tries = 1; ; tries += 1) {
    if (key === null && !terminal.isInteractive)
      throw new UserFailure('No gateway key. Pass it with --key-stdin or set FAIRGATE_KEY.')
    key ??= await terminal.askHidden('Gateway key of your team (hidden): ')
    if (key !== '' && !isKey(key))
      throw new UserFailure('This is not a gateway key: it contains invalid characters.')
    const call = await createCallLogbook(url, key, environment)
    const check: KeyCheck =
      key === '' ? { state: 'refused', message: 'no key was given' } : await checkKey(call)
    if (check.state !== 'refused') return { url, key, call, check, warning }
    const message = `The gateway does not accept this key: ${check.message}`
    if (!terminal.isInteractive || given !== null || tries >= maxTries) throw new UserFailure(message)
    context.printError(`${message}\n`)
    key = null
  }
}

export type ChosenModel = { readonly model: string; readonly answer: ModelAnswer }

/** Maximum models to try before giving up. */
const maxCandidates = 5

/**
 * Makes the paid call that proves the connection. Without a wish the first model that answers is taken, beginning with `former`. Throws UserFailure when the
 * wished model cannot be used at all; a refusal that passes, such as of a limit, is left to the report.
 */
export async function chooseModel(
  { call }: Pick<GatewayAccess, 'call'>,
  { wished, former }: { readonly wished: string | undefined; readonly former: string | null },
  trial: { readonly prompt: string; readonly session: string },
): Promise<ChosenModel> {
  const listed = await listModels(call)
  if (wished !== undefined) {
    const answer = await callModel(call, { model: wished, ...trial })
    if (isLasting(answer)) {
      const names = listed === null ? '' : ` This key can call: ${listed.slice(0, 20).join(', ')}.`
      throw new UserFailure(
        `The model "${wished}" cannot be used: ${answer.message.replace(/\.$/, '')}.${names}`,
      )
    }
    return { model: wished, answer }
  }
  if (listed === null) throw new UserFailure('The gateway does not list its models. Choose one with --model.')
  if (listed.length === 0) throw new UserFailure('This key cannot call any model. Ask the organisers.')
  let first: ChosenModel | null = null
  const inOrder = [...listed.filter(model => model === former), ...listed.filter(model => model !== former)]
  for (const model of inOrder.slice(0, maxCandidates)) {
    const answer = await callModel(call, { model, ...trial })
    first ??= { model, answer }
    if (!isLasting(answer)) return { model, answer }
  }
  const message =
    first !== null && first.answer.state === 'refused' ? `: ${first.answer.message.replace(/\.$/, '')}` : ''
  throw new UserFailure(
    `None of the first models of this key answers${message}. Choose a model with --model.`,
  )
}

/** Returns true if the same call would be refused again. */
function isLasting(answer: ModelAnswer): answer is Extract<ModelAnswer, { state: 'refused' }> {
  return answer.state === 'refused' && [400, 403, 404, 422].includes(answer.status)
}

async function readGivenKey({ environment, terminal }: VerbContext, flags: Flags): Promise<string | null> {
  if (flags['key-stdin'] === undefined) return environment.FAIRGATE_KEY?.trim() || null
  return await readGiven({ terminal }, 'Gateway key', isKey)
}

/** The key is written to settings files in multiple formats, so it must not need quotes in any of them. */
function isKey(text: string): boolean {
  return /^[A-Za-z0-9._~+/=-]+$/.test(text)
}

async function findUrl(
  context: VerbContext,
  flag: string | undefined,
  stored: StoredGateway | null,
): Promise<{ url: string; warning: string | null }> {
  const known = findKnownUrl(context, flag, stored)
  if (known === null && !context.terminal.isInteractive)
    throw new UserFailure(
      'The gateway address is unknown. Pass it with --gateway or set FAIRGATE_GATEWAY_URL.',
      2,
    )
  const url = trimAddress(known ?? (await context.terminal.ask('Address of the gateway: ')))
  return requireUrl(url, 'gateway', 'gateway key')
}

export function findKnownUrl(
  { environment }: Pick<VerbContext, 'environment'>,
  flag: string | undefined,
  stored: StoredGateway | null,
): string | null {
  const url = flag ?? (environment.FAIRGATE_GATEWAY_URL || undefined) ?? stored?.url
  return url === undefined ? null : trimAddress(url)
}

/** People copy the address from the settings of an SDK, which ends in /v1. */
function trimAddress(text: string): string {
  return text.trim().replace(/\/+$/, '').replace(/\/v1$/, '')
}
