# perl escape-test.pl KEY=VALUE…: runs in place of an engine and tries what a compromised engine would try. Prints one
# word per line for each attack that succeeds; lib/engines/sandbox/escape-test.ts starts it and evaluates the result.
$| = 1;
my %args = map { split /=/, $_, 2 } @ARGV;
my $pid = $args{pid} + 0;
$SIG{XFSZ} = $SIG{PIPE} = 'IGNORE';

sub got { print "$_[0]\n" }
sub text { open my $file, '<', $_[0] or return ''; local $/; my $text = <$file>; $text }

# In another PID namespace the pid is unused or belongs to a process with another start time: proc(5), field 22.
my $isService = (split ' ', (text("/proc/$pid/stat") =~ /.*\)(.*)/s)[0])[19] eq $args{began};

if ($isService) {
  my $byte = "\0";
  my ($vector, $nowhere) = (pack('PQ', $byte, 1), pack 'QQ', 8, 1);
  my $pidfd = syscall 434, $pid, 0;
  got('secrets') if
    length text("/proc/$pid/environ") or
    open(my $memory, '<', "/proc/$pid/mem") or
    defined readlink "/proc/$pid/fd/0" or
    defined readlink "/proc/$pid/cwd" or
    # PTRACE_SEIZE, which does not stop the process; process_vm_readv of an unmapped address; pidfd_getfd.
    syscall(101, 0x4206, $pid, 0, 0) == 0 or
    (syscall(310, $pid, $vector, 1, $nowhere, 1, 0) == -1 and $! == 14) or
    ($pidfd >= 0 and syscall(438, $pidfd, 0, 0) >= 0);
  pipe my $out, my $in;
  got('signals') if
    kill(0, $pid) or
    syscall(200, $pid, 0) == 0 or
    syscall(234, $pid, $pid, 0) == 0 or
    ($pidfd >= 0 and syscall(424, $pidfd, 0, 0, 0) == 0) or
    # F_SETOWN makes the kernel send a signal as soon as the pipe is readable.
    fcntl($out, 8, $pid);
}

# The server checks whether connections arrive: TCP, UDP, abstract Unix socket. The Lambda runtime API is tried as well.
sub reach {
  my ($family, $type, $address) = @_;
  socket(my $socket, $family, $type | 2048, 0) or return;
  my $done = connect($socket, $address);
  syswrite $socket, 'x' if $type == 2;
  # EINPROGRESS: the connection may still succeed.
  if (!$done and $! == 115) { vec(my $ready = '', fileno $socket, 1) = 1; select undef, $ready, undef, 0.5; $done = getpeername $socket }
  push @open, $socket;
  $done
}
sub inet { pack 'S n C4 x8', 2, $_[1], split /\./, $_[0] }
reach(2, 1, inet('127.0.0.1', $args{tcp}));
reach(2, 2, inet('127.0.0.1', $args{udp}));
reach(1, 1, pack('S a*', 1, "\0$args{name}"));
got('network') if $args{api} =~ /^([\d.]+):(\d+)$/ and reach(2, 1, inet($1, $2));

got('files') if length text("$args{folder}/secret") or open my $made, '>', "$args{folder}/made";

# mmap of more than the limit, without touching it: MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE.
got('memory') if syscall(9, 0, $args{memory} + 65536, 0, 0x4022, -1, 0) != -1;
got('file-size') if open my $large, '>', 'large' and truncate $large, $args{file} + 1;
unlink 'large';
for (['processes', 6], ['processor', 0], ['core', 4]) {
  my ($what, $resource) = @$_;
  my $limit = "\0" x 16;
  syscall 302, 0, $resource, 0, $limit;
  my ($soft, $hard) = unpack 'Q2', $limit;
  my $raised = syscall 302, 0, $resource, pack('Q2', $hard + 1, $hard + 1), 0;
  got($what) if $hard > $args{$what} or $raised == 0;
}

got("$_ " . readlink "/proc/self/ns/$_") for 'pid', 'net';

# A child that survives the kill of this process keeps its output open for a while.
if (fork == 0) { syscall 112; syscall 109, 0, 0; sleep 8; syscall 231, 0 }
got('ran');
sleep 8;
