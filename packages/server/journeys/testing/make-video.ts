// Orders a video and waits until it has ended, for journeys about finished videos.
import { expect } from 'bun:test'
import type { Video } from '@fairgate/contracts/videos/video.ts'

export type VideoClient = {
  readonly order: (body: object, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Makes a video, ready at once unless the prompt says otherwise; returns its final state. */
  readonly make: (changes?: object) => Promise<Video>
  /** Polls until the video is no longer processing. */
  readonly settled: (id: string) => Promise<Video>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  readonly remove: (id: string) => Promise<Response>
}

export function createVideoClient(gatewayUrl: string, key: string): VideoClient {
  const authorization = `Bearer ${key}`
  const send = (path: string, init: RequestInit) => fetch(`${gatewayUrl}/v1/videos${path}`, init)
  const get: VideoClient['get'] = (path, headers) => send(path, { headers: { authorization, ...headers } })
  const order: VideoClient['order'] = (body, headers) =>
    send('', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const settled = async (id: string): Promise<Video> => {
    for (;;) {
      const video = (await (await get(`/${id}`)).json()) as Video
      if (video.status !== 'processing') return video
      await Bun.sleep(50)
    }
  }
  return {
    order,
    get,
    settled,
    make: async changes => {
      const prompt = 'Waves [[sandbox: videoMs=0]]'
      const response = await order({
        model: 'video-3.1-lite-generate-001',
        prompt,
        seconds: '4',
        ...changes,
      })
      expect(response.status).toBe(200)
      return settled(((await response.json()) as Video).id)
    },
    remove: id => send(`/${id}`, { method: 'DELETE', headers: { authorization } }),
  }
}
