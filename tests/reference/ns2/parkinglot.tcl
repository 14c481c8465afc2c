# Parking lot for ns-2.35: three bottlenecks in a row, greedy TCP senders over all three and over each alone.
#
#     ns parkinglot.tcl name=value ...
#
# Routers 0 => 1 => 2 => 3. `flows` long flows go from router 0 to router 3, and over every hop as many cross flows,
# each between two nodes of its own, `edge` ms from their routers. The queues towards router 3 are under test. All
# others are DropTail queues too long to lose a packet.
#
# Output, one record per line:
#   hop <time> <hop> <name> <value> ...             cumulative counters of a hop, at both ends of the window
#   flow <time> <flow> <group> <name> <value> ...   the same of a flow; group 0 is long, 1 to 3 cross that hop
#   end                                             the run is complete

array set option {
    discipline  DropTail  rate        10          size     1000
    buffer      100       flows       10          jitter   1.0
    trunk       10        edge        5           access   100
    from        20        to          120         seed     1
    ecn         0         overhead    0           window   10000
    min_th      10        max_th      30          max_p    0.1
    w_q         0.002     mark_p      1           sample   10
    phi         1.001     gamma       0.001       target   20      period   0.002
}
foreach word $argv {
    lassign [split $word =] name value
    if {![info exists option($name)]} {
        error "no option `$name'; there are: [lsort [array names option]]"
    }
    set option($name) $value
}

# Two random streams, as in dumbbell.tcl: ns-2's own, and one for the start times.
set base [expr {104729 + 7919 * $option(seed)}]
ns-random $base
set starts [new RNG]
$starts seed [expr {$base + 17}]

# --- What every object of a class is born with -----------------------------------------------------------

foreach {name value} [list \
        window_ $option(window) packetSize_ $option(size) useHeaders_ false \
        ecn_ $option(ecn) overhead_ $option(overhead)] {
    Agent/TCP set $name $value
}
foreach {name value} [list \
        bytes_ false queue_in_bytes_ false mean_pktsize_ $option(size) gentle_ true \
        thresh_ $option(min_th) maxthresh_ $option(max_th) \
        linterm_ [expr {1.0 / $option(max_p)}] q_weight_ $option(w_q) \
        setbit_ $option(ecn) use_mark_p_ $option(mark_p)] {
    Queue/RED set $name $value
}
foreach {name value} [list \
        phi_ $option(phi) gamma_ $option(gamma) pbo_ $option(target) pupdtime_ $option(period) \
        mean_pktsize_ $option(size) markpkts_ $option(ecn)] {
    Queue/REM set $name $value
}

# --- Network ---------------------------------------------------------------------------------------------

set ns [new Simulator]
$ns rtproto Manual
remove-all-packet-headers
add-packet-header IP TCP Flags

set routers {0 1 2 3}
set hops {1 2 3}
proc routes {node} { return [$node get-module Manual] }

foreach at $routers {
    set router($at) [$ns node]
}
foreach hop $hops {
    set near $router([expr {$hop - 1}])
    set far $router($hop)
    $ns simplex-link $near $far $option(rate)Mb $option(trunk)ms $option(discipline)
    $ns queue-limit $near $far $option(buffer)
    $ns simplex-link $far $near $option(rate)Mb $option(trunk)ms DropTail
    $ns queue-limit $far $near 100000
    set monitor($hop) [[$ns link $near $far] init-monitor $ns "" 0.1]
    set integral($hop) [$monitor($hop) get-pkts-integrator]
    set sum($hop) 0.0
    set squares($hop) 0.0
}

# A node at a router. All routers learn the way to it.
proc leaf {at} {
    global ns option router routers
    set node [$ns node]
    $ns duplex-link $node $router($at) $option(access)Mb $option(edge)ms DropTail
    $ns queue-limit $node $router($at) 100000
    $ns queue-limit $router($at) $node 100000
    [routes $node] add-route-to-adj-node -default $router($at)
    [routes $router($at)] add-route-to-adj-node $node
    foreach other $routers {
        if {$other != $at} {
            set next [expr {$other < $at ? $other + 1 : $other - 1}]
            [routes $router($other)] add-route \
                [$node set address_] [[$ns link $router($other) $router($next)] head]
        }
    }
    return $node
}

set all 0
proc connect {group first last} {
    global ns option router starts all sender sink door member
    set source [leaf $first]
    set end [leaf $last]
    set sender($all) [new Agent/TCP/Newreno]
    set sink($all) [new Agent/TCPSink]
    $sender($all) set fid_ $all
    $ns attach-agent $source $sender($all)
    $ns attach-agent $end $sink($all)
    $ns connect $sender($all) $sink($all)
    set greedy [new Application/FTP]
    $greedy attach-agent $sender($all)
    $ns at [$starts uniform 0.0 $option(jitter)] "$greedy start"
    # Sees which packets of the flow arrive with a mark.
    set door($all) [[$ns link $router($last) $end] init-monitor $ns "" 0.1]
    set member($all) $group
    incr all
}
for {set n 0} {$n < $option(flows)} {incr n} {
    connect 0 0 3
}
foreach hop $hops {
    for {set n 0} {$n < $option(flows)} {incr n} {
        connect $hop [expr {$hop - 1}] $hop
    }
}

# --- Measurement -----------------------------------------------------------------------------------------

# The queues' lengths at equal intervals, for their standard deviations.
set looks 0
proc look {} {
    global ns option hops monitor looks sum squares
    incr looks
    foreach hop $hops {
        set length [$monitor($hop) set pkts_]
        set sum($hop) [expr {$sum($hop) + $length}]
        set squares($hop) [expr {$squares($hop) + double($length) * $length}]
    }
    $ns at [expr {[$ns now] + $option(sample) / 1000.0}] look
}
$ns at 0.0 look

proc report {} {
    global ns hops monitor integral looks sum squares all sender sink door member
    set now [$ns now]
    foreach hop $hops {
        $integral($hop) newpoint $now [$integral($hop) set lasty_]
        puts [list hop $now $hop \
            arrivals [$monitor($hop) set parrivals_] departures [$monitor($hop) set pdepartures_] \
            drops [$monitor($hop) set pdrops_] integral [$integral($hop) set sum_] \
            looks $looks sum $sum($hop) squares $squares($hop)]
    }
    for {set flow 0} {$flow < $all} {incr flow} {
        puts [list flow $now $flow $member($flow) bytes [$sink($flow) set bytes_] \
            packets [$door($flow) set pdepartures_] marks [$door($flow) set pmarks_] \
            timeouts [$sender($flow) set nrexmit_]]
    }
}
$ns at $option(from) report
$ns at $option(to) {report; puts end; flush stdout; exit 0}
$ns run
