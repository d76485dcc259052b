// Rules for the content of submissions, as tables; every refusal names its member.
import { describe, expect, test } from 'bun:test'
import type { HandInBody } from '@fairgate/contracts/console/submissions.ts'
import fc from 'fast-check'
import { usualSubmission } from '../directory/event/event.ts'
import { invalid, refusalOf } from '../directory/testing/refusal-of.ts'
import { checkSubmission, nameRepository } from './check-submission.ts'
import { recogniseSubmitted } from './recognise-submitted.ts'

const check = (body: Partial<HandInBody>, asked = usualSubmission) =>
  checkSubmission({ based_on: 0, title: 'Tides', ...body }, asked)

test.each([
  ['https://github.com/Red/Tides', 'tides'],
  ['https://github.com/red/tides.git', 'tides'],
  ['https://github.com/red/tides/tree/main/src', 'tides'],
  ['https://gitlab.example/group/sub/tides/-/tree/main', 'tides'],
  ['http://127.0.0.1:3000/red/tides/', 'tides'],
  ['git@github.com:red/tides.git', 'tides'],
  ['ssh://git@host.example:22/red/tides', 'tides'],
  ['red/tides', 'tides'],
  ['grün/gezeiten', 'gezeiten'],
  ['https://token@github.com/red/tides', null],
  ['https://user:password@github.com/red/tides', null],
  ['javascript:alert(1)//x', null],
  ['file:///etc/passwd', null],
  ['https://github.com/', null],
  ['https://github.com/%E0%A4%A', null],
  ['tides', null],
  ['../..', null],
  ['red tides', null],
])('the repository %s is named %p', (text, name) => {
  expect(nameRepository(text)).toBe(name)
})

test('reading a repository ends for any text, in time linear in it', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 512 }), text => void nameRepository(text)))
  for (const part of ['/', 'a/', 'tree/', '/tree/x', '/-/'])
    expect(typeof nameRepository(`https://a.example/${part.repeat(200_000)}`)).toMatch(/string|object/)
})

describe('a submission', () => {
  test('is its texts without white space around them, and null for what is empty', () => {
    expect(
      check({
        title: ' Tide \n tables ',
        summary: ' a\r\nb ',
        commit: ' 9F2C1AB ',
        demo_url: '',
        video_url: 'https://v.example',
        files: ['a', 'a'],
      }),
    ).toEqual({
      ...{ title: 'Tide tables', summary: 'a\nb', repository: null, commit: '9f2c1ab', demoUrl: null },
      ...{ videoUrl: 'https://v.example/', disclosure: null, fileIds: ['a'] },
    })
  })

  test.each<[string, Partial<HandInBody>]>([
    ['title', { title: ' \n' }],
    ['commit', { commit: 'main' }],
    ['commit', { commit: '9f2c1a' }],
    ['repository', { repository: 'tides' }],
    ['repository', { repository: 'https://user:password@github.com/red/tides' }],
    ['demo_url', { demo_url: 'javascript:alert(1)' }],
    ['video_url', { video_url: 'https://user:password@v.example' }],
    ['files', { files: ['a', 'b', 'c', 'd', 'e', 'f'] }],
  ])('with a bad %s is refused', async (member, body) => {
    expect(await refusalOf(() => check(body))).toEqual(invalid(member))
  })

  test('needs the disclosure that is asked for, and has no files where none are', async () => {
    const asked = { ...usualSubmission, disclosure: 'Which tools?' }
    expect(await refusalOf(() => check({ disclosure: ' ' }, asked))).toEqual(invalid('disclosure'))
    expect(check({ disclosure: 'None' }, asked).disclosure).toBe('None')
    const without = { ...usualSubmission, max_files: 0 }
    expect(await refusalOf(() => check({ files: ['a'] }, without))).toEqual(invalid('files'))
  })
})

test.each<[string, string | readonly number[], string | null]>([
  ['a PDF', '%PDF-1.7', 'application/pdf'],
  ['an archive', 'PK\u0003\u0004', 'application/zip'],
  ['text', 'Grüße, 你好', 'text/plain'],
  ['a script is text', '#!/bin/sh', 'text/plain'],
  ['a program', [0x7f, 0x45, 0x4c, 0x46, 2, 0], null],
  ['a Windows program', [0x4d, 0x5a, 0x90, 0], null],
  ['text of another encoding', [0x47, 0x72, 0xfc, 0xdf], null],
])('%s is recognised by its content', (_, content, type) => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content)
  expect(recogniseSubmitted(bytes)).toBe(type)
})
