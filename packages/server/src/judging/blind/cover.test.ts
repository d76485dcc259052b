// What blind judges see instead of names: every form that a name is written in, and what must stay readable.
import { describe, expect, test } from 'bun:test'
import { writeMeaning } from './blind-disguise.ts'
import { listNames, type NamedTeam } from './list-names.ts'
import { NameBook } from './name-book.ts'

const inLog = { repositories: [], branches: [], users: [] }
const nothing = { people: [], keys: [], inLog, repositories: [], links: [] }

const kimchi: NamedTeam = {
  ...nothing,
  teamId: 'kimchi-07',
  alias: 'Kimchi Kernel',
  people: [
    { letters: 'A', name: 'Haeun Seo', email: 'hseo.dev@harbour.example' },
    { letters: 'B', name: 'May Lee', email: 'info@example.org' },
    { letters: 'C', name: '김하은', email: null },
    { letters: 'D', name: 'José Müller-Groß', email: 'jose@example.org' },
    { letters: '4821', name: null, email: 'guest77@laptop.example' },
  ],
  keys: ['haeun-laptop', 'default', 'sk-...w9Xk', 'aitc_...8f2a'],
  inLog: {
    repositories: ['pickle-press', 'api'],
    branches: ['main', 'feature/login', 'wip/brine-tank', 'parser'],
    users: ['hseo42x', 'ubuntu', 'brinemaster'],
  },
  repositories: ['https://github.com/kimchihq/pickle-press.git'],
  links: ['https://pickles-live.example.app/demo'],
}
const teams: NamedTeam[] = [
  kimchi,
  { ...nothing, teamId: 'ai', alias: 'AI', people: [{ letters: 'A', name: 'Haeun Park', email: null }] },
  {
    ...nothing,
    teamId: 'team-3',
    alias: 'Team 3',
    people: [{ letters: 'A', name: 'Will Baker', email: null }],
  },
]
const numbers = new Map([
  ['kimchi-07', 17],
  ['ai', 3],
  ['team-3', 42],
])
const book = new NameBook(teams.flatMap(listNames), (meaning, viewed) =>
  writeMeaning(meaning, viewed, numbers),
)
const cover = (text: string, viewed = 'kimchi-07') => book.cover(text, viewed)

describe('names are found in every form', () => {
  test.each([
    // Teams
    ['We are Kimchi Kernel!', 'We are Team 17!'],
    [
      'kimchi_kernel, KIMCHI-KERNEL, kimchi  kernel and KimchiKernelApi',
      'Team 17, Team 17, Team 17 and Team 17Api',
    ],
    ['kimchikernel.example.app', 'Team 17.example.app'],
    ['the id is kimchi-07, or Kimchi 7', 'the id is Team 17, or Team 17'],
    // Escapes
    ['{"stdout":"haeun\\nkimchi_kernel\\thaeun"}', '{"stdout":"Person A\\nTeam 17\\tPerson A"}'],
    ['\\u001b[31mhaeun\\u001b[0m \u001b[1;32mhaeun', '\\u001b[31mPerson A\\u001b[0m \u001b[1;32mPerson A'],
    ['"\\uae40\\ud558\\uc740"', '"Person C"'],
    [
      '?q=Kimchi%20Kernel&who=hseo.dev%40harbour.example&n=%EA%B9%80%ED%95%98%EC%9D%80&m=Jos%C3%A9%20M%C3%BCller-Gro%C3%9F',
      '?q=Team 17&who=Person A&n=Person C&m=Person D',
    ],
    ['PicklePress of KimchiHQ', 'repository of owner'],
    ['const kimchiKernelUrl = 1', 'const Team 17Url = 1'],
    ['Ｋｉｍｃｈｉ Ｋｅｒｎｅｌ', 'Team 17'],
    ['Ki\u00admchi\u200b Kernel, K\u00adimchi Kernel', 'Team 17, Team 17'],
    // People
    [
      'haeun seo and SEO, Haeun and Seo Haeun and haeunseo',
      'Person A and Person A and Person A and Person A',
    ],
    ['Ask Haeun.', 'Ask Person A.'],
    ['hseo.dev@harbour.example wrote, HSEO.DEV@Harbour.Example too', 'Person A wrote, Person A too'],
    ['/tmp/hseo-dev.log', '/tmp/Person A.log'],
    ['김하은이 고쳤다', 'Person C이 고쳤다'],
    ['김하은이 고쳤다'.normalize('NFD'), 'Person C이 고쳤다'],
    ['jose muller-gross, JOSE\u0301 MU\u0308LLER GROSS', 'Person D, Person D'],
    ['guest77@laptop.example', 'Person 4821'],
    // Repositories, branches, keys, links
    ['git clone git@github.com:kimchihq/pickle-press.git', 'git clone git@github.com:repository.git'],
    ['https://github.com/KimchiHQ/Pickle-Press/issues/1', 'repository/issues/1'],
    ['picklepress and pickle_press by kimchihq', 'repository and repository by owner'],
    ['On wip/brine-tank, and git checkout parser', 'On branch, and git checkout branch'],
    ['use haeun-laptop or sk-...w9Xk', 'use key or key'],
    ['see https://pickles-live.example.app/demo', 'see link'],
    // Folders of users
    ['cd /home/hseo42x/work && ls', 'cd ~/work && ls'],
    ['/Users/somebodyelse/a.ts and C:\\Users\\Haeun Seo\\b.ts', '~/a.ts and ~\\b.ts'],
    ['"C:\\\\Users\\\\me\\\\x"', '"~\\\\x"'],
    ['.claude/projects/-home-hseo42x-work', '.claude/projects/~-work'],
    ['file:///home/hseo42x', 'file://~'],
    ['brinemaster@laptop:~$', 'user@laptop:~$'],
  ])('%p', (text, covered) => {
    expect(cover(text)).toBe(covered)
  })
})

test('names of other teams are hidden too, and a name that several have is that of the own team', () => {
  expect(cover('Kimchi Kernel and Haeun', 'ai')).toBe('Team 17 and Person A')
  expect(cover('Haeun Park helped')).toBe('Person A of Team 3 helped')
  expect(cover('Ask Haeun', 'team-3')).toBe('Ask somebody')
})

describe('common and short words stay, unless they clearly name somebody', () => {
  test.each([
    ['may I maintain the AI api on main? Will it parse default values?', null],
    ['May we? The parser may fail. Say "login" at the feature.', null],
    ['a feature login page, an api, ubuntu', null],
    ['Rename it like May said', 'Rename it like Person B said'],
    ['May Lee, LEE MAY, @may', 'Person B, Person B, @Person B'],
    ['we are team AI; the AI team', 'we are team Team 3; the Team 3 team'],
    ['AI', 'Team 3'],
    ['default', 'key'],
    ['team 3 and Team-03', 'Team 42 and Team 42'],
  ])('%p', (text, covered) => {
    expect(cover(text)).toBe(covered ?? text)
  })
})

test('ids and hashes stay as they are', () => {
  const ids =
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 550e8400-e29b-41d4-a716-446655440000'
  expect(cover(ids)).toBe(ids)
})

test('takes time by the length of the text, whatever the number of names', () => {
  const many = Array.from(
    { length: 60 },
    (_, at): NamedTeam => ({
      ...kimchi,
      teamId: `crew-${at}`,
      alias: `Kestrel ${at} Works`,
      people: Array.from({ length: 5 }, (_person, place) => ({
        letters: 'A',
        name: `Given${at} Family${place}`,
        email: `given${at}.family${place}@example.org`,
      })),
    }),
  )
  const large = new NameBook(many.flatMap(listNames), (meaning, viewed) =>
    writeMeaning(meaning, viewed, numbers),
  )
  const line = 'import { openDoor } from "./open-door.ts" // Given12 Family3 wrote it for Kestrel 12 Works\n'
  const time = (text: string) => {
    const times = Array.from({ length: 5 }, () => {
      const startedAt = performance.now()
      large.cover(text, 'crew-1')
      return performance.now() - startedAt
    })
    return Math.min(...times)
  }
  const small = line.repeat(1100)
  time(small)
  // Ten times the text takes about ten times as long: a factor of 30 leaves room for a busy machine.
  expect(time(line.repeat(11_000))).toBeLessThan(Math.max(1, time(small)) * 30)
})
