// Bare audio: what speech models answer with and what the encoders take.

/** Signed 16-bit little-endian mono. */
export type Pcm = { readonly samples: Uint8Array; readonly rate: number }
