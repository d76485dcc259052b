// The groups in the order they run: those that list what is there come first.
import type { Wire } from '../start-wire.ts'
import { recordChat } from './chat.ts'
import { recordMedia } from './media.ts'
import { recordPassThrough } from './pass-through.ts'

export const groups: Readonly<Record<string, (wire: Wire) => Promise<void>>> = {
  chat: recordChat,
  media: recordMedia,
  'pass-through': recordPassThrough,
}
