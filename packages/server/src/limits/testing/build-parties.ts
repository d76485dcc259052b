// Teams, keys, models and requests for tests of the limits: everything unlimited until a test says otherwise.
import { randomUUID } from 'node:crypto'
import type { CatalogModel } from '../../catalog/types.ts'
import type { Key, Team } from '../../directory/types.ts'
import type { EventLimits } from '../../ledger/event-limits.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { buildLevels } from '../build-levels.ts'
import type { AdmissionRequest } from '../port.ts'

const ownerDefaults = {
  maxBudget: null,
  budgetDuration: null,
  budgetAnchor: 0,
  rpmLimit: null,
  tpmLimit: null,
  modelRpmLimit: new Map(),
  modelTpmLimit: new Map(),
  models: [],
  blocked: null,
  metadata: {},
  createdAt: 0,
  updatedAt: 0,
  createdBy: 'test',
  updatedBy: 'test',
}

export function buildTeam(changes: Partial<Team> = {}): Team {
  return { ...ownerDefaults, teamId: 'team-1', alias: 'team-1', ...changes }
}

export function buildKey(changes: Partial<Key> = {}): Key {
  return {
    ...ownerDefaults,
    keyHash: 'key-1',
    keyName: 'sk-...0001',
    alias: '',
    teamId: 'team-1',
    userId: '',
    aliases: new Map(),
    modelMaxBudget: new Map(),
    maxParallelRequests: 1000,
    expiresAt: null,
    allowedRoutes: [],
    rotation: null,
    ...changes,
  }
}

/** 1,000 nano-dollars per input token, 4,000 per output token. */
export function buildModel(changes: Partial<CatalogModel> = {}): CatalogModel {
  return {
    id: 'model-1',
    aliases: [],
    modality: 'chat',
    upstream: 'vendor',
    upstreamId: 'model-1',
    contextLimit: 100_000,
    maxOutput: 8_000,
    defaultOutputCap: 8_000,
    typicalOutput: 500,
    reasoning: 'none',
    imageTokens: new Map(),
    promptOverhead: 0,
    fallbacks: [],
    kind: 'vendor',
    voices: null,
    imageSizes: new Map(),
    audioFormats: [],
    retiresOn: null,
    price: {
      tiers: [
        {
          aboveInputTokens: 0,
          rates: {
            inputText: 1_000_000_000,
            cachedInput: 250_000_000,
            outputText: 4_000_000_000,
            reasoning: 4_000_000_000,
          },
        },
      ],
    },
    rpmLimit: null,
    tpmLimit: null,
    ...changes,
  }
}

export type Parties = {
  readonly team: Team
  readonly key: Key
  readonly model: CatalogModel | null
  readonly event?: EventLimits | null
}

/** A request with the records that its levels come from. */
export type BuiltRequest = AdmissionRequest & Parties

export type RequestChanges = Partial<Omit<BuiltRequest, 'levels'>>

/** A call of fixed price 0 that reserves no tokens, with its own id. */
export function buildRequest(changes: RequestChanges = {}): BuiltRequest {
  const { team = buildTeam(), key = buildKey(), model = buildModel() } = changes
  return {
    callId: randomUUID(),
    tokens: { input: 0, output: 0 },
    estimate: { kind: 'fixed', cost: nanoDollars(0) },
    countsRequest: true,
    ...changes,
    team,
    key,
    model,
    levels: buildLevels(team, key, model, changes.event),
  }
}
