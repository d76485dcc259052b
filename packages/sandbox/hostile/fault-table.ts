// All faults of the hostile vendor by name. The switch `fault=<name>` selects one.
import { answerFaults } from './faults/answers.ts'
import { bodyFaults } from './faults/bodies.ts'
import { statusFaults } from './faults/statuses.ts'
import { streamFaults } from './faults/streams.ts'
import { usageFaults } from './faults/usages.ts'
import { videoFaults } from './faults/videos.ts'
import type { Faults } from './script.ts'

/** The faults, grouped by what they affect. */
export const faultGroups = {
  status: statusFaults,
  body: bodyFaults,
  usage: usageFaults,
  answer: answerFaults,
  stream: streamFaults,
  video: videoFaults,
} as const

export const faults: Faults = Object.assign({}, ...Object.values(faultGroups)) as Faults
