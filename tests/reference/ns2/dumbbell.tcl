# Dumbbell for ns-2.35: many greedy TCP senders over one bottleneck.
#
#     ns dumbbell.tcl name=value ...
#
# Topologies
#   full   source -> in => out -> sink, two nodes of its own for every flow
#   bare   every agent sits on `in` or on `out`; the bottleneck's delay is half the round trip
#
# Flows start in groups of equal size (`group`, `every`), or as `starts` lists them: 0:100,150:100 are a hundred
# at the beginning and a hundred more after 150 s. Round trips are all `rtt`, or drawn from 2 `spread` ms around it.
# `tcp` is Newreno, Reno, Sack1 (with sinks that send SACK blocks) or Vegas.
# With `bytes` every queue is measured in bytes, its limit and its thresholds in packets of `size`.
#
# Only the queue from `in` to `out` is under test. All others are DropTail queues too long to lose a packet.
#
# Output, one record per line:
#   start <flow> <time>                       once per flow
#   count <time> <name> <value> ...           cumulative counters, at every time of `report`
#   bytes <time> <bytes of flow 0> ...        bytes delivered in order, at every time of `report`
#   end                                       the run is complete

array set option {
    topology    full      discipline  DropTail
    rate        64        buffer      120         size     1000
    flows       160       group       20          every    50
    jitter      1.0       rtt         80          seconds  400
    report      400       seed        1           ecn      0
    access      100       trunk       5           tail     1
    window      10000     overhead    0
    monitor     1         sample      10
    min_th      20        max_th      80          max_p    0.1
    w_q         0.002     gentle      1           wait     1       mark_p   1
    phi         1.001     gamma       0.001       target   20      period   0.002
    a           1.822e-5  b           1.816e-5    q_ref    50      w        170
    desired     0.98      bytes       0           spread   0       starts   ""
    min_rto     0.2       tcp         Newreno
}
foreach word $argv {
    lassign [split $word =] name value
    if {![info exists option($name)]} {
        error "no option `$name'; there are: [lsort [array names option]]"
    }
    set option($name) $value
}

# Random streams: ns-2's own (queues, send overhead, clock phases), one for the start times, and one for the round
# trips, which are the same with every seed.
set base [expr {104729 + 7919 * $option(seed)}]
ns-random $base
set starts [new RNG]
$starts seed [expr {$base + 17}]
set distances [new RNG]
$distances seed 4242

# --- What every object of a class is born with -----------------------------------------------------------

foreach {name value} [list \
        window_ $option(window) packetSize_ $option(size) useHeaders_ false \
        ecn_ $option(ecn) overhead_ $option(overhead) minrto_ $option(min_rto)] {
    Agent/TCP set $name $value
}
foreach {name value} [list \
        bytes_ $option(bytes) queue_in_bytes_ $option(bytes) mean_pktsize_ $option(size) \
        thresh_ $option(min_th) maxthresh_ $option(max_th) \
        linterm_ [expr {1.0 / $option(max_p)}] q_weight_ $option(w_q) adaptive_ 0 \
        gentle_ $option(gentle) wait_ $option(wait) \
        setbit_ $option(ecn) use_mark_p_ $option(mark_p)] {
    Queue/RED set $name $value
}
foreach {name value} [list \
        phi_ $option(phi) gamma_ $option(gamma) pbo_ $option(target) pupdtime_ $option(period) \
        mean_pktsize_ $option(size) qib_ $option(bytes) markpkts_ $option(ecn)] {
    Queue/REM set $name $value
}
foreach {name value} [list \
        a_ $option(a) b_ $option(b) qref_ $option(q_ref) w_ $option(w) mean_pktsize_ $option(size) \
        bytes_ false queue_in_bytes_ $option(bytes) setbit_ $option(ecn)] {
    Queue/PI set $name $value
}
foreach {name value} [list \
        gamma_ $option(desired) mean_pktsize_ $option(size) queue_in_bytes_ $option(bytes) \
        markpkts_ $option(ecn)] {
    Queue/Vq set $name $value
}
Queue/DropTail set mean_pktsize_ $option(size)

# --- Network ---------------------------------------------------------------------------------------------

set ns [new Simulator]
$ns rtproto Manual
remove-all-packet-headers
add-packet-header IP TCP Flags

# A simplex link that never loses a packet.
proc spacious {from to rate delay} {
    global ns
    $ns simplex-link $from $to ${rate}Mb ${delay}ms DropTail
    $ns queue-limit $from $to 100000
}

proc default_route {node via} { [$node get-module Manual] add-route-to-adj-node -default $via }
proc route {node to} { [$node get-module Manual] add-route-to-adj-node $to }

set in [$ns node]
set out [$ns node]
set bare [expr {$option(topology) eq "bare"}]
set delay [expr {$bare ? $option(rtt) / 2.0 : $option(trunk)}]
Queue/DropTail set queue_in_bytes_ $option(bytes)
$ns simplex-link $in $out $option(rate)Mb ${delay}ms $option(discipline)
Queue/DropTail set queue_in_bytes_ false
$ns queue-limit $in $out $option(buffer)
spacious $out $in $option(rate) $delay
default_route $in $out
default_route $out $in

if {$option(monitor)} {
    set monitor [[$ns link $in $out] init-monitor $ns "" 0.1]
    set integral [$monitor get-pkts-integrator]
}

# --- Flows -----------------------------------------------------------------------------------------------

set times {}
if {$option(starts) eq ""} {
    for {set flow 0} {$flow < $option(flows)} {incr flow} {
        lappend times [expr {$flow / $option(group) * $option(every)}]
    }
} else {
    foreach stage [split $option(starts) ,] {
        lassign [split $stage :] time count
        lappend times {*}[lrepeat $count $time]
    }
    set option(flows) [llength $times]
}
for {set flow 0} {$flow < $option(flows)} {incr flow} {
    set rtt $option(rtt)
    if {$option(spread) > 0} {
        set rtt [$distances uniform [expr {$rtt - $option(spread)}] [expr {$rtt + $option(spread)}]]
    }
    set head [expr {$rtt / 2.0 - $option(trunk) - $option(tail)}]
    if {!$bare && $head < 0} {
        error "a round trip of $rtt ms is shorter than twice the trunk and the tail"
    }
    set near $in
    set far $out
    if {!$bare} {
        set near [$ns node]
        set far [$ns node]
        spacious $near $in $option(access) $head
        spacious $in $near $option(access) $head
        spacious $out $far $option(access) $option(tail)
        spacious $far $out $option(access) $option(tail)
        default_route $near $in
        default_route $far $out
        route $in $near
        route $out $far
    }
    set sender($flow) [new Agent/TCP/$option(tcp)]
    set sink($flow) [new Agent/TCPSink[expr {$option(tcp) eq "Sack1" ? "/Sack1" : ""}]]
    $sender($flow) set fid_ $flow
    $ns attach-agent $near $sender($flow)
    $ns attach-agent $far $sink($flow)
    $ns connect $sender($flow) $sink($flow)
    set source [new Application/FTP]
    $source attach-agent $sender($flow)
    set time [expr {[lindex $times $flow] + [$starts uniform 0.0 $option(jitter)]}]
    $ns at $time "$source start"
    puts "start $flow $time"
}

# --- Measurement -----------------------------------------------------------------------------------------

# The queue's length at equal intervals, for its standard deviation: how many looks, sum, sum of squares.
set looks 0
set sum 0.0
set squares 0.0
proc look {} {
    global ns monitor looks sum squares step
    set length [$monitor set pkts_]
    incr looks
    set sum [expr {$sum + $length}]
    set squares [expr {$squares + double($length) * $length}]
    $ns at [expr {[$ns now] + $step}] look
}
if {$option(monitor) && $option(sample) > 0} {
    set step [expr {$option(sample) / 1000.0}]
    $ns at 0.0 look
}

proc report {} {
    global ns option monitor integral sender sink looks sum squares
    set now [$ns now]
    set line "count $now"
    if {$option(monitor)} {
        $integral newpoint $now [$integral set lasty_]
        foreach {name value} [list \
                arrivals [$monitor set parrivals_] departures [$monitor set pdepartures_] \
                drops [$monitor set pdrops_] marks [$monitor set pmarks_] \
                integral [$integral set sum_] looks $looks sum $sum squares $squares] {
            append line " $name $value"
        }
    }
    foreach {name variable} {
        ndata ndatapack_  nrexmit nrexmitpack_  ntimeout nrexmit_
        ncuts ncwndcuts_  necn necnresponses_   acks nackpack_
    } {
        set total 0
        foreach flow [array names sender] {
            incr total [$sender($flow) set $variable]
        }
        append line " $name $total"
    }
    puts $line
    set line "bytes $now"
    for {set flow 0} {$flow < $option(flows)} {incr flow} {
        append line " [$sink($flow) set bytes_]"
    }
    puts $line
}
foreach time [split $option(report) ,] {
    $ns at $time report
}
$ns at $option(seconds) {puts end; flush stdout; exit 0}
$ns run
