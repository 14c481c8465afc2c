# One sender, NewReno or Reno, whose packets are lost or marked by a script, in ns-2.35.
#
#     ns sender.tcl name=value ...
#
# Sender and receiver sit on the two ends of a link that never fills. `lost` and `marked` list packets by their
# place on the wire, counted from 0 (the SYN), separated by commas; retransmissions count like any other.
#
# Output, one record per line, in the order of events:
#   ack <time> <number> <flags>     an ACK reaches the sender
#   send <time> <segment> <flags>   the sender sends; if an ACK made it, the line follows that ACK's
#   state <name> <value> ...        the sender after all that happened at that instant
#   end                             the run is complete

array set option {
    agent       Newreno
    initial     10        threshold   10000    seconds  1         seed     1
    lost        ""        marked      ""       ecn      0         limited  1
    rate        800       delay       50       size     1000
    tick        0.01      min_rto     1        initial_rto 3      window   10000
}
foreach word $argv {
    lassign [split $word =] name value
    if {![info exists option($name)]} {
        error "no option `$name'; there are: [lsort [array names option]]"
    }
    set option($name) $value
}

ns-random [expr {104729 + 7919 * $option(seed)}]
foreach {name value} [list \
        window_ $option(window) windowInit_ $option(initial) packetSize_ $option(size) useHeaders_ false \
        ecn_ $option(ecn) singledup_ $option(limited) \
        tcpTick_ $option(tick) minrto_ $option(min_rto) rtxcur_init_ $option(initial_rto)] {
    Agent/TCP set $name $value
}

set ns [new Simulator]
$ns rtproto Manual
remove-all-packet-headers
add-packet-header IP TCP Flags
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far $option(rate)Mb $option(delay)ms DropTail
$ns queue-limit $near $far 100000
$ns queue-limit $far $near 100000
[$near get-module Manual] add-route-to-adj-node -default $far
[$far get-module Manual] add-route-to-adj-node -default $near
set forward [$ns link $near $far]
$forward trace-callback $ns forward
[$ns link $far $near] trace-callback $ns backward

# The script of losses and marks sits behind the wire, so that it counts packets in the order they were sent.
set wire [$forward link]
set behind [$wire target]
set null [new Agent/Null]
foreach {list mark} {lost false marked true} {
    if {$option($list) ne ""} {
        set model [new ErrorModel/List]
        $model unit pkt
        $model set markecn_ $mark
        $model droplist [split $option($list) ,]
        if {!$mark} { $model drop-target $null }
        $model target $behind
        set behind $model
    }
}
$wire target $behind

set sender [new Agent/TCP/$option(agent)]
set sink [new Agent/TCPSink]
$ns attach-agent $near $sender
$ns attach-agent $far $sink
$ns connect $sender $sink
set source [new Application/FTP]
$source attach-agent $sender
$ns at 0.0 "$sender set ssthresh_ $option(threshold); $source start"

# A trace line: event, time, from, to, kind, bytes, flags, flow, addresses, sequence number, uid.
proc forward {event} {
    if {[lindex $event 0] eq "+"} { tell send [lindex $event 10] [lindex $event 6] }
}
proc backward {event} {
    if {[lindex $event 0] eq "r"} { tell ack [lindex $event 10] [lindex $event 6] }
}
proc tell {kind number flags} {
    global ns due
    set now [$ns now]
    puts "$kind $now $number $flags"
    if {![info exists due($now)]} {
        set due($now) yes
        $ns at [expr {$now + 1e-7}] state
    }
}
proc state {} {
    global sender
    set line "state"
    foreach {name variable} {
        cwnd cwnd_  ssthresh ssthresh_  dupacks dupacks_
        rtt rtt_  srtt srtt_  rttvar rttvar_  backoff backoff_
    } {
        append line " $name [$sender set $variable]"
    }
    puts $line
}
$ns at $option(seconds) {puts end; flush stdout; exit 0}
$ns run
