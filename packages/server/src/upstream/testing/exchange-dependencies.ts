// The dependencies of an exchange, for tests: a minute for every kind of call, a mebibyte for every reply, two retries, and no waiting.
import { PatientTimers } from '../../world/patient-timers.ts'
import type { ExchangeDependencies } from '../exchange.ts'
import type { UpstreamEndpoint } from '../reply-limits.ts'
import { createByteBudget } from '../reply-limits.ts'

const mebibyte = 1024 * 1024

function forEach(value: number): Readonly<Record<UpstreamEndpoint, number>> {
  return {
    chat: value,
    images: value,
    speech: value,
    music: value,
    transcription: value,
    embeddings: value,
    videos: value,
  }
}

/** `waits`: called with how long each retry would have waited. */
export function exchangeDependencies(
  waits: number[] = [],
): Omit<ExchangeDependencies, 'fetch' | 'keys' | 'observeUpstream' | 'reportTry'> {
  return {
    timeouts: forEach(60_000),
    bounds: {
      replyBytes: forEach(mebibyte),
      streamBytes: 2 * mebibyte,
      silenceMs: 60_000,
      heldBytes: createByteBudget(64 * mebibyte),
    },
    timers: new PatientTimers(),
    maximumRetries: 2,
    wait: async milliseconds => {
      waits.push(milliseconds)
    },
    random: () => 0,
  }
}
