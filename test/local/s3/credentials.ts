// The credentials all S3 tests use.
export const s3Credentials = { accessKeyId: 'AKLOCAL', secretAccessKey: 'secret/with+signs' }
export const region = 'us-east-1'
