import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { BlobSASPermissions, generateBlobSASQueryParameters } from '@azure/storage-blob'
import { credential, startAzurite } from '../../transfer/azurite.ts'
import { credentials as account, gcsToken, startGcs } from '../../transfer/gcs-server.ts'
import { startSshd } from '../../transfer/sshd.ts'
import { credentials, region } from './server-process.ts'

/** A third-party store, with the settings for tasks and for well-known programs. */
export interface ThirdPartyStore {
  readonly name: string
  /** Commands that upload the file and download it to a path. */
  readonly upload?: readonly string[]
  download(path: string): Promise<readonly string[]> | readonly string[]
  /** Names of the programs that upload and download. */
  readonly programs: { readonly upload?: string; readonly download: string }
  readonly importTask: Readonly<Record<string, unknown>>
  readonly exportTask?: Readonly<Record<string, unknown>>
}

export async function startThirdPartyStores(dir: string, file: string, size: number) {
  const [s3, gcs, azurite, sshd] = await Promise.all([
    startS3Server(join(dir, 's3')),
    startGcs(),
    startAzurite({ folder: join(dir, 'azurite') }),
    startSshd(),
  ])
  const stop = async () => {
    s3.child.kill()
    await Promise.all([gcs.stop(), azurite.stop(), sshd.stop()])
  }
  const stores: ThirdPartyStore[] = [
    ...(await createS3Stores(s3.url, file)),
    await createSftpStore(sshd, dir, file),
    createGcsStore(gcs.endpoint, { file, size }),
    createBlobStore(azurite, file),
  ]
  return { stores, gcsEndpoint: gcs.endpoint, stop }
}

async function startS3Server(dir: string) {
  await mkdir(dir)
  const child = fork(join(import.meta.dirname, 'server-process.ts'), ['S3', dir])
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { child, url }
}

async function createS3Stores(endpoint: string, file: string): Promise<ThirdPartyStore[]> {
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  const Bucket = 'box'
  await client.send(new CreateBucketCommand({ Bucket }))
  const link = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'in.wav' }))
  client.destroy()
  const { accessKeyId, secretAccessKey } = credentials
  const env = ['env', `AWS_ACCESS_KEY_ID=${accessKeyId}`, `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`]
  const aws = [
    ...env,
    `AWS_DEFAULT_REGION=${region}`,
    'aws',
    '--endpoint-url',
    endpoint,
    's3',
    'cp',
    '--quiet',
  ]
  const access = {
    bucket: Bucket,
    region,
    endpoint,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
  }
  return [
    {
      name: 's3',
      programs: { upload: 'aws', download: 'aws' },
      upload: [...aws, file, `s3://${Bucket}/in.wav`],
      download: (path) => [...aws, `s3://${Bucket}/in.wav`, path],
      importTask: { operation: 'import/s3', ...access, key: 'in.wav' },
      exportTask: { operation: 'export/s3', ...access, key: 'out.wav' },
    },
    {
      name: 'url',
      programs: { download: 'curl' },
      download: (path) => ['curl', '-sf', '-o', path, link],
      importTask: { operation: 'import/url', url: link, filename: 'in.wav' },
    },
  ]
}

async function createSftpStore(
  {
    files,
    host,
    port,
    username,
    plainKey: unencryptedKey,
    plainKeyFile: unencryptedKeyFile,
    fingerprint,
  }: Awaited<ReturnType<typeof startSshd>>,
  dir: string,
  file: string,
): Promise<ThirdPartyStore> {
  const options = [
    '-i',
    unencryptedKeyFile,
    '-P',
    String(port),
    '-oStrictHostKeyChecking=no',
    '-oUserKnownHostsFile=/dev/null',
  ]
  const access = { host, port, username, private_key: unencryptedKey, host_key_fingerprint: fingerprint }
  const commands = async (name: string, text: string) => {
    const path = join(dir, name)
    await writeFile(path, text)
    return ['sftp', '-q', ...options, '-b', path, `${username}@${host}`]
  }
  return {
    name: 'sftp',
    programs: { upload: 'sftp', download: 'sftp' },
    upload: await commands('put', `put ${file} ${files}/in.wav\n`),
    download: (path) => commands('get', `get ${files}/in.wav ${path}\n`),
    importTask: { operation: 'import/sftp', ...access, file: join(files, 'in.wav') },
    exportTask: { operation: 'export/sftp', ...access, file: join(files, 'out.wav') },
  }
}

function createGcsStore(endpoint: string, { file, size }: { file: string; size: number }): ThirdPartyStore {
  const header = `Authorization: Bearer ${gcsToken}`
  const session = `curl -sf -H '${header}' -D - -d '{}' '${endpoint}/upload/storage/v1/b/box/o?name=in.wav'`
  const address = `$(${session} | sed -n 's/^[Ll]ocation: //p' | tr -d '\\r')`
  const range = `Content-Range: bytes 0-${size - 1}/${size}`
  const access = { bucket: 'box', credentials: account }
  return {
    name: 'gcs',
    programs: { upload: 'curl', download: 'curl' },
    upload: ['sh', '-c', `curl -sf -o /dev/null -H '${header}' -H '${range}' -T '${file}' "${address}"`],
    download: (path) => [
      'curl',
      '-sf',
      '-H',
      header,
      '-o',
      path,
      `${endpoint}/storage/v1/b/box/o/in.wav?alt=media`,
    ],
    importTask: { operation: 'import/gcs', ...access, key: 'in.wav' },
    exportTask: { operation: 'export/gcs', ...access, key: 'out.wav' },
  }
}

function createBlobStore(
  { container, access }: Awaited<ReturnType<typeof startAzurite>>,
  file: string,
): ThirdPartyStore {
  const token = generateBlobSASQueryParameters(
    {
      containerName: 'box',
      blobName: 'in.wav',
      permissions: BlobSASPermissions.parse('racw'),
      expiresOn: new Date(Date.now() + 3_600_000),
    },
    credential,
  )
  const link = `${container.getBlobClient('in.wav').url}?${token}`
  return {
    name: 'blobstore',
    programs: { upload: 'curl', download: 'curl' },
    upload: ['curl', '-sf', '-o', '/dev/null', '-H', 'x-ms-blob-type: BlockBlob', '-T', file, link],
    download: (path) => ['curl', '-sf', '-o', path, link],
    importTask: { operation: 'import/blobstore', ...access, blob: 'in.wav' },
    exportTask: { operation: 'export/blobstore', ...access, blob: 'out.wav' },
  }
}
