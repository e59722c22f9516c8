# perl intruder.pl KEY=VALUE…: tries what an engine under foreign control would try, in the place of an engine. It says
# a word a line of what it got; lib/engines/sandbox/escape-test.ts starts it and draws the conclusions.
$| = 1;
my %given = map { split /=/, $_, 2 } @ARGV;
my $pid = $given{pid} + 0;
$SIG{XFSZ} = $SIG{PIPE} = 'IGNORE';

sub got { print "$_[0]\n" }
sub text { open my $file, '<', $_[0] or return ''; local $/; my $text = <$file>; $text }

# In a namespace of its own the number belongs to nobody, or to somebody else, who began at another time: proc(5), 22.
my $isService = (split ' ', (text("/proc/$pid/stat") =~ /.*\)(.*)/s)[0])[19] eq $given{began};

if ($isService) {
  my $byte = "\0";
  my ($vector, $nowhere) = (pack('PQ', $byte, 1), pack 'QQ', 8, 1);
  my $pidfd = syscall 434, $pid, 0;
  got('secrets') if
    length text("/proc/$pid/environ") or
    open(my $memory, '<', "/proc/$pid/mem") or
    defined readlink "/proc/$pid/fd/0" or
    defined readlink "/proc/$pid/cwd" or
    # PTRACE_SEIZE, which stops nobody; process_vm_readv of an address where nothing is; pidfd_getfd.
    syscall(101, 0x4206, $pid, 0, 0) == 0 or
    (syscall(310, $pid, $vector, 1, $nowhere, 1, 0) == -1 and $! == 14) or
    ($pidfd >= 0 and syscall(438, $pidfd, 0, 0) >= 0);
  pipe my $out, my $in;
  got('signals') if
    kill(0, $pid) or
    syscall(200, $pid, 0) == 0 or
    syscall(234, $pid, $pid, 0) == 0 or
    ($pidfd >= 0 and syscall(424, $pidfd, 0, 0, 0) == 0) or
    # F_SETOWN: a signal of our choice as soon as something can be read.
    fcntl($out, 8, $pid);
}

# Whether it arrived is for the other side to say. Stream, datagram, abstract socket; then what Lambda listens at.
sub reach {
  my ($family, $type, $address) = @_;
  socket(my $socket, $family, $type | 2048, 0) or return;
  my $done = connect($socket, $address);
  syswrite $socket, 'x' if $type == 2;
  # EINPROGRESS: somebody may answer yet.
  if (!$done and $! == 115) { vec(my $ready = '', fileno $socket, 1) = 1; select undef, $ready, undef, 0.5; $done = getpeername $socket }
  push @open, $socket;
  $done
}
sub inet { pack 'S n C4 x8', 2, $_[1], split /\./, $_[0] }
reach(2, 1, inet('127.0.0.1', $given{tcp}));
reach(2, 2, inet('127.0.0.1', $given{udp}));
reach(1, 1, pack('S a*', 1, "\0$given{name}"));
got('network') if $given{api} =~ /^([\d.]+):(\d+)$/ and reach(2, 1, inet($1, $2));

got('files') if length text("$given{folder}/secret") or open my $made, '>', "$given{folder}/made";

# mmap of more than there is to be had, without touching it: MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE.
got('memory') if syscall(9, 0, $given{memory} + 65536, 0, 0x4022, -1, 0) != -1;
got('file-size') if open my $large, '>', 'large' and truncate $large, $given{file} + 1;
unlink 'large';
for (['processes', 6], ['processor', 0], ['core', 4]) {
  my ($what, $resource) = @$_;
  my $limit = "\0" x 16;
  syscall 302, 0, $resource, 0, $limit;
  my ($soft, $hard) = unpack 'Q2', $limit;
  my $raised = syscall 302, 0, $resource, pack('Q2', $hard + 1, $hard + 1), 0;
  got($what) if $hard > $given{$what} or $raised == 0;
}

got("$_ " . readlink "/proc/self/ns/$_") for 'pid', 'net';

# Whoever lives on after we are killed holds our output open, for a while.
if (fork == 0) { syscall 112; syscall 109, 0, 0; sleep 8; syscall 231, 0 }
got('ran');
sleep 8;
