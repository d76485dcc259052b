// What an upstream is called for: each kind of call may take a time of its own.

export type UpstreamEndpoint =
  | 'chat'
  | 'images'
  | 'speech'
  | 'music'
  | 'transcription'
  | 'embeddings'
  | 'videos'

/** Milliseconds from sending to the last byte, further tries included. */
export type UpstreamTimeouts = Readonly<Record<UpstreamEndpoint, number>>
