import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  options: 'Opções',
  optionsFailed: (reason) => `Não foi possível carregar as opções. ${reason}`,
  presets: 'Predefinições',
  noPreset: 'Nenhuma',
  savePreset: 'Salvar como predefinição',
  presetName: 'Nome da predefinição',
  save: 'Salvar',
  deletePreset: 'Excluir predefinição',
  copyLink: 'Copiar link para estas configurações',
  copyResultLink: 'Copiar link',
  share: 'Compartilhar',
  qrCode: 'Código QR',
  qrCodeOf: (name) => `Código QR com o link para ${name}`,
  linkValidUntil: (time) => `Qualquer pessoa com o link pode baixar o arquivo até ${time}.`,
  sameWithOther: 'Fazer o mesmo com outro arquivo',
  linkCopied: 'Link copiado.',
  reset: 'Redefinir',
  optionsOf: (counted) => `Opções para ${counted}`,
  table: 'Arquivos',
  name: 'Nome',
  size: 'Tamanho',
  state: 'Status',
  actions: 'Ações',
  details: 'Detalhes',
  detailsOf: (name) => `Detalhes de ${name}`,
  beforeAfter: 'Antes e depois',
  quality: 'Tentar outra qualidade',
  noPreview: 'Não há prévia para este tipo de arquivo. Baixe o arquivo para vê-lo.',
  previewFailed: 'Não foi possível carregar a prévia.',
}

export default words
