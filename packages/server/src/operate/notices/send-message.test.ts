// A receiver with a name that resolves elsewhere the second time: a message goes only to the address that was checked.
import { expect, test } from 'bun:test'
import { sendMessage } from './send-message.ts'

const message = { url: 'https://rebinding.example/hook', body: '{}', headers: {} }
const publicAddress = '93.184.216.34'

async function sendThrough(answers: string[][]) {
  const asked: string[] = []
  const outcome = await sendMessage(
    {
      resolve: async () => answers.shift() ?? [],
      fetch: async url => {
        asked.push(url)
        return new Response(null, { status: 204 })
      },
      allowsPrivate: false,
    },
    message,
  )
  return { outcome, asked, left: answers.length }
}

// Fails if the name is passed on instead of the checked address.
test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1'])(
  'a second answer of %s is never requested, and is refused as the first answer',
  async second => {
    expect(await sendThrough([[publicAddress], [second]])).toEqual({
      outcome: { status: 204, error: null },
      asked: [`https://${publicAddress}/hook`],
      left: 1,
    })
    expect(await sendThrough([[second]])).toEqual({
      outcome: { status: null, error: 'it has no public address' },
      asked: [],
      left: 0,
    })
  },
)
