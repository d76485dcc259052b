// Holds new connections back at the listening sockets of the doors, which Bun.serve cannot do: its `stop` also closes kept connections.
import { dlopen, ptr } from 'bun:ffi'
import { readdirSync } from 'node:fs'

export type ListeningSockets = {
  /** The kernel drops connection requests, so clients ask again after 1, 2, 4 s. Open connections are unaffected. */
  readonly hold: () => void
  readonly release: () => void
}

// From asm-generic/socket.h of Linux, the same on x64 and arm64.
const socketLevel = 1
const attachFilter = 26
const detachFilter = 27
const isAccepting = 30

const functions = {
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
} as const

/** Finds this process's listening sockets at these ports. Null on systems other than Linux, which have no such filter. */
export function findListeningSockets(ports: readonly number[]): ListeningSockets | null {
  const library = process.platform === 'linux' ? openLibrary() : null
  if (library === null) return null
  const { getsockopt, setsockopt, getsockname } = library.symbols

  const isListening = (descriptor: number): boolean => {
    const value = new Int32Array(1)
    const found = getsockopt(descriptor, socketLevel, isAccepting, ptr(value), ptr(new Uint32Array([4])))
    return found === 0 && value[0] === 1
  }
  const portOf = (descriptor: number): number => {
    const address = new Uint8Array(128)
    getsockname(descriptor, ptr(address), ptr(new Uint32Array([address.length])))
    return new DataView(address.buffer).getUint16(2)
  }
  const found = readdirSync('/proc/self/fd')
    .map(Number)
    .filter(descriptor => isListening(descriptor) && ports.includes(portOf(descriptor)))
  // The descriptor of a closed socket may belong to a connection by now.
  const setOption = (option: number, value: Uint8Array) => {
    for (const descriptor of found)
      if (isListening(descriptor)) setsockopt(descriptor, socketLevel, option, ptr(value), value.byteLength)
  }
  return {
    hold: () => setOption(attachFilter, buildDroppingFilter()),
    release: () => setOption(detachFilter, new Uint8Array(4)),
  }
}

function openLibrary() {
  const musl = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
  for (const name of ['libc.so.6', musl]) {
    try {
      return dlopen(name, functions)
    } catch {
      // This is the other option.
    }
  }
  return null
}

/** `return 0` accepts nothing: BPF_RET | BPF_K. The kernel copies it while the call lasts. */
const dropAll = new Uint8Array([6, 0, 0, 0, 0, 0, 0, 0])

/** A `struct sock_fprog`: the number of instructions, and their address. */
function buildDroppingFilter(): Uint8Array {
  const program = new DataView(new ArrayBuffer(16))
  program.setUint16(0, 1, true)
  program.setBigUint64(8, BigInt(ptr(dropAll)), true)
  return new Uint8Array(program.buffer)
}
