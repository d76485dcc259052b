// Derives a model's kind from its id. The sandbox knows nothing else about models.

export type ModelKind =
  | 'chat'
  | 'image'
  | 'speech'
  | 'music'
  | 'transcription'
  | 'embedding'
  | 'imagen'
  | 'video'

const families: readonly (readonly [RegExp, ModelKind])[] = [
  [/^imagen-/, 'imagen'],
  [/^veo-/, 'video'],
  [/^lyria-/, 'music'],
  [/embedding/, 'embedding'],
  [/-transcribe/, 'transcription'],
  [/-tts/, 'speech'],
  [/-image/, 'image'],
]

const kinds = new Map<string, ModelKind>()

export function findKind(model: string): ModelKind {
  const known = kinds.get(model)
  if (known !== undefined) return known
  const kind = families.find(([pattern]) => pattern.test(model))?.[1] ?? 'chat'
  // Ids come from outside, so this cache must be bounded.
  if (kinds.size < 1_000) kinds.set(model, kind)
  return kind
}

/** Third-generation models sign their function calls. */
export function isThirdGeneration(model: string): boolean {
  return model.startsWith('gemini-3')
}
