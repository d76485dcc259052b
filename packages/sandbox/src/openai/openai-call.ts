// Input of an OpenAI-compatible endpoint for one call.
import type { Json } from '../json.ts'
import type { Switches } from '../switches.ts'
import type { Tools } from '../tools.ts'

export type OpenaiCall = {
  readonly body: Json
  readonly model: string
  readonly switches: Switches
  readonly tools: Tools
}
