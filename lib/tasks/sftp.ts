import * as z from 'zod'
import { createStoreExport, createStoreImport, type StoreKind } from './store-operations.ts'

/** An SFTP server. */
const server = {
  name: 'sftp',
  title: 'an SFTP server',
  access: {
    host: z
      .string()
      .regex(/^(?:\[?[0-9a-fA-F:.]+\]?|[\w.-]+)$/, 'expected a host name or IP address')
      .max(253)
      .describe('Host name or IP address of the server'),
    port: z.int().min(1).max(65_535).default(22).describe('Port of the server'),
    username: z.string().min(1).max(256).describe('User name'),
    password: z.string().min(1).max(1024).optional().describe('Password of the user'),
    private_key: z
      .string()
      .min(1)
      .max(16_384)
      .refine(
        isPrivateKey,
        'expected a private key with line breaks in OpenSSH, PEM (RSA, DSA or EC) or PuTTY 2 format; ssh-keygen -p converts PKCS #8 keys',
      )
      .optional()
      .describe('Private key of the user, instead of `password`: OpenSSH, PEM (RSA, DSA or EC) or PuTTY 2'),
    passphrase: z.string().max(1024).optional().describe('Passphrase of the private key'),
    host_key_fingerprint: z
      .string()
      .regex(
        /^SHA256:[A-Za-z0-9+/]{43}=?$/,
        'expected SHA256: followed by 43 characters, as printed by ssh-keygen -l',
      )
      .optional()
      .describe(
        'Fingerprint of the host key, such as `SHA256:…`; other keys are rejected. By default, any key is accepted',
      ),
  },
  needsOneOf: ['password', 'private_key'],
  secrets: ['password', 'private_key', 'passphrase'],
  pathFields: { path: 'file', prefix: 'path', isFolder: true },
  path: z.string().min(1).max(4096),
  find: async () => (await import('../transfer/sftp.ts')).findInSftp,
  openStore: async () => (await import('../transfer/sftp.ts')).openSftp,
} as const satisfies StoreKind

export const importSftpOperation = createStoreImport(server)
export const exportSftpOperation = createStoreExport(server)

/** Whether the text looks like a key that the SSH client can read. */
function isPrivateKey(text: string): boolean {
  const lines = text.trim().split(/\r?\n/)
  const isPem = ['OPENSSH', 'RSA', 'DSA', 'EC'].some(
    (kind) =>
      lines[0] === `-----BEGIN ${kind} PRIVATE KEY-----` &&
      lines.at(-1) === `-----END ${kind} PRIVATE KEY-----`,
  )
  return lines.length > 2 && (isPem || lines[0]?.startsWith('PuTTY-User-Key-File-2: ') === true)
}
