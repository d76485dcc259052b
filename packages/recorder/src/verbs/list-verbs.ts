// The verbs of `fairgate-recorder`, each loaded only when it is asked for.
import type { Verb } from './verb.ts'

export const verbs: Readonly<Record<string, Verb>> = {
  push: {
    usage: 'push',
    summary: 'send what waits, as the pre-push hook: at most 2 seconds, never fails',
    flags: {},
    mostPositionals: Number.POSITIVE_INFINITY,
    load: async () => (await import('./push.ts')).runPush,
  },
  send: {
    usage: 'send [--watch [--every <seconds>]] [--retry-rejected]',
    summary: 'send what waits now; with --watch again and again',
    flags: { watch: 'switch', every: 'text', 'retry-rejected': 'switch', background: 'switch' },
    mostPositionals: 0,
    load: async () => (await import('./send.ts')).runSend,
  },
  status: {
    usage: 'status',
    summary: 'what each tool has recorded, what waits, was sent or was refused',
    flags: {},
    mostPositionals: 0,
    load: async () => (await import('./status.ts')).runStatus,
  },
  verify: {
    usage: 'verify [--no-send]',
    summary: 'compare what was sent with the logbook, and send again what is missing',
    flags: { 'no-send': 'switch' },
    mostPositionals: 0,
    load: async () => (await import('./verify.ts')).runVerify,
  },
  logs: {
    usage: 'logs [--limit <n>] [--before <time>] [--event <name>] [--tool <name>]',
    summary: "read the team's entries back, newest first",
    flags: { limit: 'text', before: 'text', event: 'text', tool: 'text' },
    mostPositionals: 0,
    load: async () => (await import('./logs.ts')).runLogs,
  },
}
