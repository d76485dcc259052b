// What the serving thread and the MP3 encoder say to each other.

export type EncodeRequest = { readonly id: number; readonly samples: Uint8Array; readonly rate: number }

export type EncodeReply =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly error: string }
