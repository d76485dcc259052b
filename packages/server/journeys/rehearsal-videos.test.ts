// A rehearsal on the embedded sandbox: a video ordered before a server restart is finished and downloaded after it.
import { afterAll, expect, test } from 'bun:test'
import { startServer } from '../src/main.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings } from './testing/start-fairgate.ts'

const place = await createSurroundings()
afterAll(() => place.remove())
const { VENDOR_API_KEY: _key, VENDOR_BASE_URL: _url, ...variables } = place.variables

// Fails on the version before: the sandbox had forgotten its key and its videos, and the video was `processing` for an hour.
test('ordered, server restarted, finished, downloaded; charged once', async () => {
  const first = await startServer(variables)
  const key = await createManagement(first.adminUrl, adminKey).team('rehearsal')
  const lite = 'video-3.1-lite-generate-001'
  const order = await createVideoClient(first.gatewayUrl, key).order({
    model: lite,
    prompt: 'Waves [[sandbox: videoMs=300]]',
    seconds: '4',
  })
  expect(order.status).toBe(200)
  const { id } = (await order.json()) as { id: string }
  await first.stop()
  const second = await startServer(variables)
  try {
    const client = createVideoClient(second.gatewayUrl, key)
    expect((await client.settled(id)).status).toBe('completed')
    const content = await client.get(`/${id}/content`)
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect((await content.arrayBuffer()).byteLength).toBeGreaterThan(1000)
    const { team_info } = await createManagement(second.adminUrl, adminKey).teamInfo('rehearsal')
    expect(team_info.spend).toBe(0.2)
  } finally {
    await second.stop()
  }
})
