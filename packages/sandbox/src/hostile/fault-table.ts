// The hostile vendor's whole repertoire: a name → what it does. Ask for one with the switch `fault=<name>`.
import { answerFaults } from './faults/answers.ts'
import { bodyFaults } from './faults/bodies.ts'
import { statusFaults } from './faults/statuses.ts'
import { streamFaults } from './faults/streams.ts'
import { usageFaults } from './faults/usages.ts'
import { videoFaults } from './faults/videos.ts'
import type { Faults } from './script.ts'

/** By where they bite. */
export const faultGroups = {
  status: statusFaults,
  body: bodyFaults,
  usage: usageFaults,
  answer: answerFaults,
  stream: streamFaults,
  video: videoFaults,
} as const

export const faults: Faults = Object.assign({}, ...Object.values(faultGroups)) as Faults
