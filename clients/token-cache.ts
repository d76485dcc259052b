// Puts the token table where Python's tiktoken looks for it, which would otherwise download it. It checks the file's SHA-256 and so our table.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadVocabulary } from '../packages/server/src/gateway/endpoints/embeddings/read-texts.ts'

const address = 'https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken'

/** Returns the folder. Its file is named by the SHA-1 of the address that it stands for. */
export async function writeTokenCache(folder: string): Promise<string> {
  const file = join(folder, new Bun.CryptoHasher('sha1').update(address).digest('hex'))
  if (existsSync(file)) return folder
  mkdirSync(folder, { recursive: true })
  const vocabulary = await loadVocabulary()
  writeFileSync(file, vocabulary.map((token, rank) => `${token} ${rank}\n`).join(''))
  return folder
}
