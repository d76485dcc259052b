// suite: test on sqlite; full on postgres; 8 s
// Images by address, by OpenAI's client: charged like Base64, downloaded without a key, for an hour; refused, expired, lost and repeated.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI from 'openai'
import { buildImage } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let later = 0
let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'files: { team_mebibytes: 1 }' }, () => Date.now() + later)
})
afterAll(() => fairgate.stop())

let teams = 0
async function openTeam() {
  teams += 1
  const team = `images-${teams}`
  const apiKey = await fairgate.manage.team(team, { max_budget: 1000 })
  return {
    team,
    apiKey,
    openai: new OpenAI({ apiKey, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0 }),
  }
}

const wish = { model: 'imggen-4', prompt: 'A cat', n: 2 }
const urlsOf = ({ data = [] }: OpenAI.ImagesResponse) => data.map(({ url }) => url ?? '')

test('an address has the same image at the same cost as Base64, and browsers can show it', async () => {
  const { team, openai } = await openTeam()
  const plain = await openai.images.generate({ ...wish })
  const reply = await openai.images.generate({ ...wish, response_format: 'url' })
  expect(reply.data?.map(({ b64_json }) => b64_json)).toEqual([undefined, undefined])
  const urls = urlsOf(reply)
  expect(new Set(urls).size).toBe(2)
  for (const [index, url] of urls.entries()) {
    expect(url.replace(fairgate.gatewayUrl, '')).toMatch(
      /^\/v1\/images\/image-[0-9a-f]{24}\.\d+\.\d{10}\.[\w-]{43}\.png$/,
    )
    const image = await fetch(url, { headers: { origin: 'https://app.example' } })
    expect(Buffer.from(await image.arrayBuffer()).toString('base64')).toBe(
      plain.data?.[index]?.b64_json ?? '',
    )
    const { headers } = image
    expect({
      status: image.status,
      type: headers.get('content-type'),
      sniff: headers.get('x-content-type-options'),
      origin: headers.get('access-control-allow-origin'),
      policy: headers.get('cross-origin-resource-policy'),
      cookie: headers.get('set-cookie'),
    }).toEqual({
      status: 200,
      type: 'image/png',
      sniff: 'nosniff',
      origin: '*',
      policy: 'cross-origin',
      cookie: null,
    })
    expect(Number(/^private, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '')?.[1])).toBeGreaterThan(
      3500,
    )
    expect((await fetch(url.replace('/v1/', '/'))).status).toBe(200)
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe(
      headers.get('content-length'),
    )
  }
  const [first, second] = await readCharges(fairgate.place, team)
  expect(Number(second?.cost_nano)).toBe(Number(first?.cost_nano))
})

test('an edited image has one too', async () => {
  const { openai } = await openTeam()
  const reply = await openai.images.edit({
    model: 'imgalias-2',
    prompt: 'Make it night',
    image: buildImage(),
    response_format: 'url',
  })
  expect((await fetch(urlsOf(reply)[0] ?? '')).headers.get('content-type')).toBe('image/png')
})

// Shown to fail by accepting every signature.
test('an address that was changed or guessed is a 404', async () => {
  const { openai } = await openTeam()
  const [url = ''] = urlsOf(await openai.images.generate({ ...wish, n: 1, response_format: 'url' }))
  const change = (part: RegExp, text: (found: string) => string) => url.replace(part, text)
  const next = (digit: string) => (digit === '0' ? '1' : '0')
  for (const guess of [
    change(/(?<=image-)\w/, next),
    change(/(?<=image-\w{24}\.)\d/, digit => String((Number(digit) % 9) + 1)),
    change(/\d(?=\.[\w-]{43}\.png$)/, next),
    change(/[\w-](?=[\w-]{42}\.png$)/, found => (found === 'A' ? 'B' : 'A')),
    change(/png$/, () => 'jpg'),
    change(/png$/, () => 'svg'),
    `${fairgate.gatewayUrl}/v1/images/image-1`,
  ]) {
    const refused = await fetch(guess)
    const { error } = (await refused.json()) as { error: object }
    expect([refused.status, error]).toEqual([
      404,
      {
        message: 'There is no image at this address. Copy the whole address from the reply.',
        type: 'not_found_error',
        param: null,
        code: 'file_not_found',
      },
    ])
  }
})

test('a repeated call gets the same address and no other charge', async () => {
  const { team, openai } = await openTeam()
  const ask = () =>
    openai.images.generate({ ...wish, response_format: 'url' }, { headers: { 'idempotency-key': 'cats' } })
  expect(urlsOf(await ask())).toEqual(urlsOf(await ask()))
  expect(await readCharges(fairgate.place, team)).toHaveLength(1)
})

test('with the team’s room full it is refused before the call, Base64 is not, and the files of the team have their own room', async () => {
  const { team, openai } = await openTeam()
  const ask = () => openai.images.generate({ ...wish, n: 4, response_format: 'url' })
  const all: string[] = []
  let failure: unknown = null
  while (failure === null) {
    const reply = await ask().catch(error => {
      failure = error
      return null
    })
    if (reply !== null) all.push(...urlsOf(reply))
  }
  const charges = (await readCharges(fairgate.place, team)).length
  expect(failure).toMatchObject({
    status: 403,
    code: 'files_exceeded',
    message:
      '403 Your team may keep at most 1048576 bytes of images with an address. ' +
      'Ask for response_format "b64_json", or wait: each image is removed after an hour.',
  })
  expect((await (await fetch(all.at(-1) ?? '')).bytes()).byteLength).toBeGreaterThan(100)
  await openai.images.generate(wish)
  expect(await readCharges(fairgate.place, team)).toHaveLength(charges + 1)
  const notes = new File(['Notes'], 'notes.txt')
  expect((await openai.files.create({ file: notes, purpose: 'user_data' })).bytes).toBe(5)
  expect((await openai.files.list()).data).toHaveLength(1)
})

test('a store that cannot be written loses no image', async () => {
  const { team, openai } = await openTeam()
  const folder = join(fairgate.place.dataFolder, 'videos')
  await rename(folder, `${folder}-away`)
  await Bun.write(folder, 'in the way')
  const reply = await openai.images.generate({ ...wish, response_format: 'url' })
  await rm(folder)
  await rename(`${folder}-away`, folder)
  for (const url of urlsOf(reply)) expect((await (await fetch(url)).bytes()).byteLength).toBeGreaterThan(100)
  expect(await readCharges(fairgate.place, team)).toHaveLength(1)
})

test('after an hour the address says when it ended', async () => {
  const { openai } = await openTeam()
  const [url = ''] = urlsOf(await openai.images.generate({ ...wish, n: 1, response_format: 'url' }))
  later = 3_600_000
  const refused = await fetch(url)
  const { error } = (await refused.json()) as { error: { message: string; code: string } }
  const expires = Number(/\.(\d{10})\./.exec(url)?.[1]) * 1000
  expect([refused.status, error.code, error.message]).toEqual([
    410,
    'image_expired',
    `This address worked until ${new Date(expires).toISOString()}. Images are kept for an hour: download them before.`,
  ])
})
