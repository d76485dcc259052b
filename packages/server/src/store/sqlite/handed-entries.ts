// Holds entries that preparing threads have handed to the writing thread, until the append that names them has committed.
import { receiveMessageOnPort } from 'node:worker_threads'
import type { AppendEntriesInput, AppendRequest } from '../statements/append-entries.ts'
import type { PackedEntries } from '../statements/packed-entries.ts'
import type { Handover } from './worker-messages.ts'

/** A preparing thread's message: entries, under the number by which the append will name them. */
export type HandedBatch = { readonly heldAs: number; readonly entries: PackedEntries }

export class HandedEntries {
  readonly #held = new Map<number, PackedEntries>()
  #ports: MessagePort[] = []

  receive(handover: Handover): void {
    if ('port' in handover) this.#ports.push(handover.port)
    else this.#release(handover.discard)
  }

  /** Puts the entries in the place of their numbers. Numbers without entries stay, and the append fails because of them. */
  fill(input: AppendEntriesInput): AppendEntriesInput {
    if (input.requests.some(isHeld)) this.#collect()
    return { ...input, requests: input.requests.map(request => this.#fillRequest(request)) }
  }

  /** The append has committed. One that failed may come again, so its entries stay. */
  settle({ requests }: AppendEntriesInput): void {
    for (const { entries } of requests) if ('heldAs' in entries) this.#held.delete(entries.heldAs)
  }

  #fillRequest(request: AppendRequest): AppendRequest {
    if (!('heldAs' in request.entries)) return request
    const entries = this.#held.get(request.entries.heldAs)
    return entries === undefined ? request : { ...request, entries }
  }

  #release(heldAs: number): void {
    this.#collect()
    this.#held.delete(heldAs)
  }

  /** A batch is named only after it was posted, so it is in its port by now. */
  #collect(): void {
    for (const port of this.#ports) {
      for (;;) {
        const received = receiveMessageOnPort(port) as { readonly message: HandedBatch } | undefined
        if (received === undefined) break
        this.#held.set(received.message.heldAs, received.message.entries)
      }
    }
    // A preparing thread that was replaced posts nothing more.
    this.#ports = this.#ports.slice(-1)
  }
}

function isHeld({ entries }: AppendRequest): boolean {
  return 'heldAs' in entries
}
