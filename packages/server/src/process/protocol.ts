// Messages between the parent and its processes, over the channel that the system gives a child (JSON). A process may be of a newer version
// than its parent, so unknown members are ignored.
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { metricFamilySchema } from '../http/metric-series.ts'

/** Changes when an older parent and a newer process no longer understand each other. */
export const protocolVersion = 1

const port = Type.Integer({ minimum: 1, maximum: 65_535 })

/** Ports of the open doors. */
const portsSchema = Type.Object({
  gateway: Type.Optional(port),
  logbook: Type.Optional(port),
  admin: Type.Optional(port),
  metrics: Type.Optional(port),
})

const number = Type.Integer({ minimum: 1 })

const fromProcessSchema = Type.Union([
  /** The process listens to its parent. */
  Type.Object({ type: Type.Literal('hello'), protocol: Type.Integer() }),
  /** The process accepts requests. */
  Type.Object({
    type: Type.Literal('ready'),
    /** Text for the person who started the server. */
    announcement: Type.String(),
    ports: portsSchema,
    /** Max time from the message to leave until the process has ended. */
    longestStopMs: Type.Number({ minimum: 0 }),
  }),
  /** Figures of the process. `question`: the number of the requesting message, null for the last ones before its end. */
  Type.Object({
    type: Type.Literal('figures'),
    question: Type.Union([number, Type.Null()]),
    families: Type.Array(metricFamilySchema),
  }),
  /** A client scrapes this process. The reply is `scraped` with the same number. */
  Type.Object({ type: Type.Literal('scrape'), question: number }),
])

const fromParentSchema = Type.Union([
  /** The first message, after `hello`: start serving. */
  Type.Object({
    type: Type.Literal('begin'),
    /** Number among the processes of this parent. A later process may get the number of one that has ended. */
    number,
    /** True if other processes already have the addresses. */
    isBesideOthers: Type.Boolean(),
    /** The free ports that the first process got if the settings say 0. */
    ports: portsSchema,
    /** True if a person reads the log. */
    isTerminal: Type.Boolean(),
    /** The shared sandbox of all processes; null if calls go to a real vendor. */
    sandboxUrl: Type.Union([Type.String(), Type.Null()]),
  }),
  /** Another process has replaced this one: end without losing a request. */
  Type.Object({ type: Type.Literal('leave') }),
  Type.Object({ type: Type.Literal('read-figures'), question: number }),
  /** The text of a scrape over all processes. */
  Type.Object({ type: Type.Literal('scraped'), question: number, text: Type.String() }),
])

export type FromProcess = Static<typeof fromProcessSchema>
export type FromParent = Static<typeof fromParentSchema>
export type Begin = Extract<FromParent, { type: 'begin' }>
export type Ports = Static<typeof portsSchema>

/** Null: a message of another version or another sender. */
export function readFromProcess(message: unknown): FromProcess | null {
  return Value.Check(fromProcessSchema, message) ? message : null
}

export function readFromParent(message: unknown): FromParent | null {
  return Value.Check(fromParentSchema, message) ? message : null
}
