// The file of the join key: created once, for its owner only, and never replaced.
import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinKeyPath, loadJoinKey } from './join-key.ts'

const root = mkdtempSync(join(tmpdir(), 'fairgate-join-key-'))
afterAll(() => rmSync(root, { recursive: true }))

let folders = 0
function newFolder(): string {
  folders += 1
  return join(root, String(folders))
}

describe('loadJoinKey', () => {
  test('makes a key at the first start, readable only by its owner', () => {
    const folder = newFolder()
    const path = joinKeyPath(folder)
    const key = loadJoinKey(path, randomBytes)
    expect(key).toHaveLength(32)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder)).toEqual(['join-key'])
    expect(Buffer.from(loadJoinKey(path, randomBytes))).toEqual(Buffer.from(key))
  })

  test('takes a key that another process has made meanwhile', () => {
    const path = joinKeyPath(newFolder())
    let other: Uint8Array = new Uint8Array()
    let calls = 0
    const key = loadJoinKey(path, size => {
      calls += 1
      if (calls === 2) other = loadJoinKey(path, randomBytes)
      return randomBytes(size)
    })
    expect(Buffer.from(key)).toEqual(Buffer.from(other))
    expect(other).toHaveLength(32)
  })

  test.each([
    ['empty', ''],
    ['cut off', 'ab'.repeat(31)],
    ['in another format', `${'ab'.repeat(32)}\nmore`],
  ])('refuses a file that is %s, keeps it and does not show it', (_, text) => {
    const path = `${newFolder()}.key`
    writeFileSync(path, text, { mode: 0o600 })
    let message = ''
    try {
      loadJoinKey(path, randomBytes)
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain(`${path} does not hold a join key`)
    expect(message).not.toContain('abab')
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('refuses a file that everyone can read, and says what to do', () => {
    const path = joinKeyPath(newFolder())
    loadJoinKey(path, randomBytes)
    chmodSync(path, 0o644)
    expect(() => loadJoinKey(path, randomBytes)).toThrow(`Run: chmod 600 ${path}`)
    chmodSync(path, 0o440)
    expect(loadJoinKey(path, randomBytes)).toHaveLength(32)
  })
})
