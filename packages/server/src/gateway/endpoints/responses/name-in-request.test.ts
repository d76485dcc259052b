// An error in the chat turn names the item of the client's own request.
import { expect, test } from 'bun:test'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { nameInRequest } from './write-responses-error.ts'

const faultAt = (param: string, places: readonly string[]) => {
  const { message, param: named } = Object(
    nameInRequest(invalidRequest(param, `The image at ${param} is too large.`), places),
  )
  return [named, message]
}

test.each([
  ['messages[1].content[2].image_url.url', 'input[4].content[2]'],
  ['messages[0].content', 'input'],
  ['tools', 'tools'],
])('%s is %s', (param, named) => {
  expect(faultAt(param, ['', 'input[4].content'])).toEqual([named, `The image at ${named} is too large.`])
})

test('other failures pass', () => {
  const failure = new Error('x')
  expect(nameInRequest(failure, [])).toBe(failure)
})
