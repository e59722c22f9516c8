import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Status',
  lead: 'Situação atual do serviço e desempenho recente.',
  now: 'Agora',
  allOperational: 'Todos os sistemas estão funcionando',
  someFailing: 'Alguns sistemas não estão funcionando',
  components: 'Componente',
  queues: 'Fila',
  queue: 'Fila',
  engines: 'Mecanismo',
  state: 'Status',
  responseTime: 'Tempo de resposta',
  works: 'OK',
  fails: 'sem resposta',
  installed: 'instalado',
  missing: 'não instalado',
  none: 'Nenhum.',
  refresh: 'Atualizar',
  recent: (days) => `Últimos ${days} dias`,
  success: 'Conversões bem-sucedidas',
  median: 'Metade termina em até',
  p95: '95% terminam em até',
  note: 'Sem contar arquivos corrompidos.',
  unreachable: 'Não foi possível acessar o servidor. Verifique a conexão e tente novamente.',
  names: { table: 'Banco de dados', files: 'Armazenamento de arquivos', disk: 'Espaço livre em disco' },
}

export default words
