// Keeps the answer of a call with an Idempotency-Key if its charge could not be written in time, until charge and answer are recorded.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { AnswerKeeper } from '../../http/call.ts'
import type { StoredReply } from '../../store/statements/idempotent-calls.ts'
import type { RecordingBounds } from './record-stream.ts'

export type LateAnswerDependencies = {
  readonly bounds: RecordingBounds
  readonly pack: (response: Response) => Promise<StoredReply>
  readonly writeError: (error: ApiError) => Response
  /** Records the end of the call; null if there is no answer to replay. Never rejects. */
  readonly note: (reply: StoredReply | null) => Promise<void>
}

export class LateAnswer implements AnswerKeeper {
  readonly #dependencies: LateAnswerDependencies
  readonly #ended = Promise.withResolvers<void>()
  #reply: StoredReply | null = null
  /** True from the moment the charge was found to be late. */
  isKeeping = false

  constructor(dependencies: LateAnswerDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves when the end of the call is recorded, or when `note` has taken over. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** `refund`: the answer cannot be kept, so its charge has to be refunded. */
  async keep(write: () => Promise<Response>): Promise<'charge' | 'refund'> {
    this.isKeeping = true
    const { pack, bounds } = this.#dependencies
    const reply = await pack(await this.#writeAnswer(write))
    const { byteLength } = reply.body
    if (byteLength > bounds.maxBytes || !bounds.recordedBytes.take(byteLength)) return 'refund'
    this.#reply = reply
    return 'charge'
  }

  async noteWritten(): Promise<void> {
    const reply = this.#reply
    this.#reply = null
    await this.#dependencies.note(reply)
    this.#dependencies.bounds.recordedBytes.give(reply?.body.byteLength ?? 0)
    this.#ended.resolve()
  }

  /** A refusal by the model is an answer too. */
  async #writeAnswer(write: () => Promise<Response>): Promise<Response> {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return this.#dependencies.writeError(error)
    }
  }
}
