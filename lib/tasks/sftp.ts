import * as z from 'zod'
import { createStoreExport, createStoreImport } from './store-operations.ts'

/** Folders of a server that is reached by SSH. */
const server = {
  name: 'sftp',
  title: 'an SFTP server',
  access: {
    host: z
      .string()
      .regex(/^(?:\[?[0-9a-fA-F:.]+\]?|[\w.-]+)$/, 'expected the name or address of a host')
      .max(253)
      .describe('Name or address of the server'),
    port: z.int().min(1).max(65_535).default(22).describe('Its port'),
    username: z.string().min(1).max(256).describe('User there'),
    password: z.string().min(1).max(1024).optional().describe('Password of the user'),
    private_key: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('Private key of the user, instead: OpenSSH, PEM or PuTTY'),
    passphrase: z.string().max(1024).optional().describe('What the private key is locked with'),
    host_key_fingerprint: z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'expected SHA256: and 43 characters, as ssh-keygen -l shows it')
      .optional()
      .describe(
        'Fingerprint of the key of the server, as `SHA256:…`: another key is refused. Without it any is taken',
      ),
  },
  needsOneOf: ['password', 'private_key'],
  secrets: ['password', 'private_key', 'passphrase'],
  place: { path: 'file', prefix: 'path', isFolder: true },
  path: z.string().min(1).max(4096),
  find: async () => (await import('../transfer/sftp.ts')).findInSftp,
  openStore: async () => (await import('../transfer/sftp.ts')).openSftp,
} as const

export const importSftpOperation = createStoreImport(server)
export const exportSftpOperation = createStoreExport(server)
