// Orders a video on the pass-through and waits for its file: for journeys about operations and files.

export type OrderedVideo = {
  readonly name: string
  readonly done?: boolean
  readonly error?: { readonly code: number }
  readonly response?: {
    readonly generateVideoResponse?: {
      readonly generatedSamples?: readonly { readonly video: { readonly uri: string } }[]
      readonly raiMediaFilteredCount?: number
    }
  }
}

/** Polls until the operation is done. */
export async function settleVideo(gatewayUrl: string, key: string, name: string): Promise<OrderedVideo> {
  for (;;) {
    const response = await fetch(`${gatewayUrl}/vendor/v1beta/${name}`, {
      headers: { 'x-vendor-api-key': key },
    })
    const operation = (await response.json()) as OrderedVideo
    if (operation.done === true) return operation
    await Bun.sleep(50)
  }
}

/** The operation's name, its last segment, and the id of its file. */
export async function orderVideo(
  gatewayUrl: string,
  key: string,
): Promise<{ readonly name: string; readonly operation: string; readonly file: string }> {
  const response = await fetch(
    `${gatewayUrl}/vendor/v1beta/models/video-3.0-generate-001:predictLongRunning`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-vendor-api-key': key },
      body: JSON.stringify({ instances: [{ prompt: 'Waves [[sandbox: videoMs=0]]' }] }),
    },
  )
  const { name } = (await response.json()) as OrderedVideo
  const { response: made } = await settleVideo(gatewayUrl, key, name)
  const uri = made?.generateVideoResponse?.generatedSamples?.[0]?.video.uri ?? ''
  return { name, operation: name.split('/').at(-1) ?? '', file: /files\/([\w-]+)/.exec(uri)?.[1] ?? '' }
}
